#include "apps/view/server.h"

#include <fmt/format.h>
#include <httplib.h>
#include <sys/random.h>

#include <array>
#include <atomic>
#include <charconv>

namespace clearance::view {
namespace {

using Json = nlohmann::ordered_json;

/// Each open page keeps a connection, whose thread sleeps nearly always.
constexpr std::size_t num_threads = 256;
constexpr int most_pages = 200;
constexpr std::size_t longest_request = 100;

std::string random_word() {
  std::array<unsigned char, 16> bytes = {};
  if (::getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size())) std::abort();
  std::string word;
  for (const unsigned char byte : bytes) word += fmt::format("{:02x}", byte);
  return word;
}

/// Compares in a time that does not depend on how much of `given` is right.
bool is_same(const std::string& given, const std::string& wanted) {
  if (given.size() != wanted.size()) return false;
  unsigned char difference = 0;
  for (std::size_t i = 0; i < wanted.size(); ++i) difference |= static_cast<unsigned char>(given[i] ^ wanted[i]);
  return difference == 0;
}

std::string cookie_of(const httplib::Request& request, const std::string& name) {
  const std::string cookies = request.get_header_value("Cookie");
  for (std::size_t at = 0; at < cookies.size();) {
    const std::size_t end = std::min(cookies.find(';', at), cookies.size());
    const std::size_t first = std::min(cookies.find_first_not_of(' ', at), end);
    if (cookies.compare(first, name.size() + 1, name + "=") == 0) {
      return cookies.substr(first + name.size() + 1, end - first - name.size() - 1);
    }
    at = end + 1;
  }
  return "";
}

void refuse(httplib::Response& response, int status, const std::string& text) {
  response.status = status;
  response.set_content(text + "\n", "text/plain");
}

void replace_all(std::string& text, const std::string& mark, const std::string& by) {
  for (std::size_t at = text.find(mark); at != std::string::npos; at = text.find(mark, at + by.size())) {
    text.replace(at, mark.size(), by);
  }
}

/// Formats an event's id such as "3.17.40.39.0"; a page that has lost its connection sends it when it comes again.
std::string to_string(const Seen& seen) {
  return fmt::format("{}.{}.{}.{}.{}", seen.generation, seen.version, seen.frames, seen.steps, seen.probes);
}

Seen seen_from(const std::string& text) {
  std::array<std::int64_t, 5> numbers = {};
  const char* at = text.data();
  const char* const end = at + text.size();
  for (std::int64_t& number : numbers) {
    const auto [next, error] = std::from_chars(at, end, number);
    if (error != std::errc() || number < 0) return {};
    at = next == end ? end : next + 1;
  }
  return {numbers[0], numbers[1], static_cast<std::size_t>(numbers[2]), static_cast<std::size_t>(numbers[3]),
          static_cast<std::size_t>(numbers[4])};
}

std::string text_of(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

/// The policy of contents that may load nothing.
constexpr const char* allow_nothing = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

}  // namespace

Server::Server(Follower& follower, const std::string& viewer)
    : follower_(follower),
      viewer_(viewer),
      token_(random_word()),
      cookie_(random_word()),
      http_(std::make_unique<httplib::Server>()) {}

Server::~Server() = default;

Result<std::unique_ptr<Server>> Server::open(Follower& follower, const std::string& viewer, int port) {
  std::unique_ptr<Server> server(new Server(follower, viewer));
  httplib::Server& http = *server->http_;
  // Nobody else may listen at the port where a page is expected.
  http.set_socket_options([](socket_t) {});
  if (port == 0) {
    server->port_ = http.bind_to_any_port("127.0.0.1");
  } else {
    server->port_ = http.bind_to_port("127.0.0.1", port) ? port : -1;
  }
  if (server->port_ <= 0) {
    return Issue{"", "--port", std::to_string(port), "cannot be listened on; leave it out, and a free one is chosen"};
  }
  server->add_routes();
  return server;
}

std::string Server::address() const {
  return fmt::format("http://127.0.0.1:{}/?token={}", port_, token_);
}

void Server::serve() {
  http_->listen_after_bind();
}

void Server::stop() {
  follower_.close();
  // The server cannot be stopped before it runs.
  while (!http_->is_running()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  http_->stop();
}

void Server::add_routes() {
  httplib::Server& http = *http_;
  http.new_task_queue = [] { return new httplib::ThreadPool(num_threads); };
  http.set_payload_max_length(longest_request);
  http.set_keep_alive_timeout(2);
  http.set_tcp_nodelay(true);
  http.set_default_headers({{"X-Content-Type-Options", "nosniff"},
                            {"Referrer-Policy", "no-referrer"},
                            {"Cross-Origin-Resource-Policy", "same-origin"},
                            {"X-Frame-Options", "DENY"},
                            {"Cache-Control", "no-store"}});
  guard_routes();
  add_page_routes();
  add_request_route();
  add_event_route();
}

/// Refuses requests of other hosts, origins and users before any route is tried.
void Server::guard_routes() {
  const std::string cookie_name = fmt::format("clearance_{}", port_);
  http_->set_pre_routing_handler([this, cookie_name](const httplib::Request& request, httplib::Response& response) {
    using enum httplib::Server::HandlerResponse;
    // A foreign page may have pointed its own name at this address, and browsers of this machine would follow.
    const std::string host = request.get_header_value("Host");
    const bool is_ours = host == fmt::format("127.0.0.1:{}", port_) || host == fmt::format("localhost:{}", port_);
    if (!is_ours || request.get_header_value_count("Host") != 1) {
      refuse(response, 403, "another host");
    } else if (request.has_header("Origin") ? request.get_header_value("Origin") != "http://" + host
                                            : request.method != "GET") {
      refuse(response, 403, "another origin");
    } else if (request.method != "GET" && request.method != "POST") {
      refuse(response, 405, "GET or POST");
    } else if (request.path == "/" && request.has_param("token")) {
      if (!is_same(request.get_param_value("token"), token_)) {
        refuse(response, 403, "another token: open the address that `clearance view` has printed");
      } else {
        response.set_header("Set-Cookie",
                            fmt::format("{}={}; HttpOnly; SameSite=Strict; Path=/", cookie_name, cookie_));
        response.set_redirect("/", 303);
      }
    } else if (!is_same(cookie_of(request, cookie_name), cookie_)) {
      refuse(response, 403, "open the address that `clearance view` has printed: it holds a token");
    } else {
      return Unhandled;
    }
    response.set_header("Content-Security-Policy", allow_nothing);
    return Handled;
  });
}

/// Adds the page and the data of a run that it shows.
void Server::add_page_routes() {
  httplib::Server& http = *http_;
  http.Get("/", [this](const httplib::Request&, httplib::Response& response) {
    const std::string nonce = random_word();
    std::string page = viewer_;
    replace_all(page, "@nonce@", nonce);
    response.set_header(
        "Content-Security-Policy",
        fmt::format("{}; script-src 'nonce-{}'; style-src 'nonce-{}'; img-src data: blob:; connect-src 'self'",
                    allow_nothing, nonce, nonce));
    response.set_content(page, "text/html; charset=utf-8");
  });
  http.Get("/head", [this](const httplib::Request&, httplib::Response& response) {
    const std::optional<Json> head = follower_.head();
    response.set_content(head ? text_of(*head) : "null", "application/json");
  });
  const auto send = [](httplib::Response& response, std::shared_ptr<const std::string> bytes) {
    if (!bytes) return refuse(response, 404, "no such frame");
    const std::size_t size = bytes->size();
    response.set_content_provider(
        size, "application/octet-stream",
        [bytes = std::move(bytes)](std::size_t offset, std::size_t length, httplib::DataSink& sink) {
          return sink.write(bytes->data() + offset, std::min<std::size_t>(length, 1 << 20));
        });
  };
  http.Get("/topology", [this, send](const httplib::Request&, httplib::Response& response) {
    send(response, follower_.topology(0));
  });
  http.Get(R"(/topology(\d{1,9}))", [this, send](const httplib::Request& request, httplib::Response& response) {
    send(response, follower_.topology(std::stoul(request.matches[1])));
  });
  http.Get(R"(/frame(\d{1,9}))", [this, send](const httplib::Request& request, httplib::Response& response) {
    send(response, follower_.frame(std::stoul(request.matches[1])));
  });
}

void Server::add_request_route() {
  http_->Post("/wish", [this](const httplib::Request& request, httplib::Response& response) {
    const std::string& word = request.body;
    if (word != "pause" && word != "stop" && word != "go") return refuse(response, 400, "pause, go or stop");
    const Result<Done> done = follower_.set(word == "pause"  ? RunRequest::pause
                                            : word == "stop" ? RunRequest::stop
                                                             : RunRequest::none);
    if (!done) return refuse(response, 409, done.issues().front().message);
    response.set_content("done\n", "text/plain");
  });
}

void Server::add_event_route() {
  auto num_pages = std::make_shared<std::atomic<int>>(0);
  http_->Get("/events", [this, num_pages](const httplib::Request& request, httplib::Response& response) {
    if (++*num_pages > most_pages) {
      --*num_pages;
      return refuse(response, 503, "too many pages are open");
    }
    const std::string last = request.get_header_value("Last-Event-ID");
    auto seen = std::make_shared<Seen>(seen_from(last.empty() ? request.get_param_value("seen") : last));
    response.set_chunked_content_provider(
        "text/event-stream",
        [this, seen](std::size_t, httplib::DataSink& sink) {
          const std::optional<News> news = follower_.wait_for_news(*seen);
          std::string text = ":\n\n";  // an empty comment finds out whether anybody listens
          if (news) {
            *seen = news->seen;
            text = fmt::format("id: {}\nevent: {}\ndata: {}\n\n", to_string(news->seen),
                               news->is_anew ? "anew" : "news", news->is_anew ? "{}" : text_of(news->json));
          }
          return sink.write(text.data(), text.size());
        },
        [num_pages](bool) { --*num_pages; });
  });
}

}  // namespace clearance::view
