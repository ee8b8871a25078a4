// The page of a run for browsers on this machine: the server listens on the loopback interface only, and answers only
// requests that have the token of its address.
#pragma once

#include <memory>
#include <string>

#include "apps/view/follower.h"

namespace httplib {
class Server;
}

namespace clearance::view {

class Server {
 public:
  /// Opens the server. `viewer` is the text of viewer.html, with its placeholders. With port 0 the system chooses a
  /// free one.
  static Result<std::unique_ptr<Server>> open(Follower& follower, const std::string& viewer, int port);
  ~Server();

  /// Returns the address with the token, which a browser exchanges for a cookie.
  std::string address() const;
  /// Serves until `stop` is called.
  void serve();
  void stop();

 private:
  Server(Follower& follower, const std::string& viewer);
  void add_routes();
  void guard_routes();
  void add_page_routes();
  void add_request_route();
  void add_event_route();

  Follower& follower_;
  std::string viewer_;
  std::string token_, cookie_;
  int port_ = 0;
  std::unique_ptr<httplib::Server> http_;
};

}  // namespace clearance::view
