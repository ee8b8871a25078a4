// The page of a run for browsers on this machine: loopback only, and only for who knows the token of the address.
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
  /// `viewer`: the text of viewer.html, with its marks. Port 0: a free one is chosen.
  static Result<std::unique_ptr<Server>> open(Follower& follower, const std::string& viewer, int port);
  ~Server();

  /// With the token, which a browser gives away for a cookie.
  std::string address() const;
  /// Until `stop`.
  void serve();
  void stop();

 private:
  Server(Follower& follower, const std::string& viewer);
  void add_routes();

  Follower& follower_;
  std::string viewer_;
  std::string token_, cookie_;
  int port_ = 0;
  std::unique_ptr<httplib::Server> http_;
};

}  // namespace clearance::view
