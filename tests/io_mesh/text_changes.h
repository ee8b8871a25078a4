// Changes of text: of line ends, and random ones of bytes, lines and words, as damage and other programs cause them.
#pragma once

#include <algorithm>
#include <cctype>
#include <random>
#include <string>
#include <string_view>
#include <utility>

#include "clearance/io/files/text_lines.h"

namespace clearance::test {

inline std::string replace_all(std::string text, std::string_view from, std::string_view to) {
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
  return text;
}

/// Ends every second line with \r and every third one with \r
/// .
inline std::string with_mixed_line_ends(const std::string& text) {
  std::string mixed;
  int line = 0;
  for (const char c : text) {
    if (c != '\n')
      mixed += c;
    else
      mixed += ++line % 2 == 0 ? "\r" : line % 3 == 0 ? "\r\n" : "\n";
  }
  return mixed;
}

class Changes {
 public:
  explicit Changes(unsigned seed) : random_(seed) {}

  std::string change(std::string text) {
    // Half of the files get one change: many changes would leave no valid ones.
    const std::size_t count = pick(2) == 0 ? 1 : 1 + pick(4);
    for (std::size_t k = 0; k < count; ++k) change_once(text);
    return text;
  }

 private:
  std::size_t pick(std::size_t below) { return below == 0 ? 0 : random_() % below; }

  void change_once(std::string& text) {
    switch (pick(4)) {
      case 0:
        return change_bytes(text);
      case 1:
        return change_lines(text);
      case 2:
        return change_words(text);
      default:
        return change_ends(text);
    }
  }

  void change_bytes(std::string& text) {
    const std::size_t at = pick(text.size() + 1);
    const std::size_t length = std::min(pick(30), text.size() - at);
    switch (pick(5)) {
      case 0:
        return text.resize(at);
      case 1:
        if (at < text.size()) text[at] = static_cast<char>(text[at] ^ (1 << pick(8)));
        return;
      case 2:
        text.insert(at, 1, static_cast<char>(random_()));
        return;
      case 3:
        text.erase(at, length);
        return;
      default:
        text.insert(pick(text.size() + 1), text.substr(at, length));
    }
  }

  /// Returns offset and length of a line with its break.
  std::pair<std::size_t, std::size_t> pick_line(const std::string& text) {
    const std::size_t at = pick(text.size());
    const std::size_t before = at == 0 ? std::string::npos : text.find_last_of("\r\n", at - 1);
    const std::size_t begin = before == std::string::npos ? 0 : before + 1;
    const std::size_t end = find_line_end(text, begin);
    return {begin, end + line_break_length(text, end) - begin};
  }

  void change_lines(std::string& text) {
    const auto [begin, length] = pick_line(text);
    const std::string line = text.substr(begin, length);
    switch (pick(5)) {
      case 0:  // removed
        text.erase(begin, length);
        return;
      case 1:  // twice
        text.insert(begin, line);
        return;
      case 2: {  // elsewhere
        text.erase(begin, length);
        text.insert(pick_line(text).first, line);
        return;
      }
      case 3: {  // joined to the next, by a blank or by nothing
        const std::size_t end = find_line_end(text, begin);
        text.replace(end, line_break_length(text, end), pick(3) == 0 ? "" : " ");
        return;
      }
      default: {  // all lines from here on joined
        for (std::size_t i = begin; i < text.size(); ++i) {
          if (text[i] == '\n' || text[i] == '\r') text[i] = ' ';
        }
      }
    }
  }

  std::pair<std::size_t, std::size_t> pick_word(const std::string& text) {
    const std::size_t begin = text.find_first_not_of(" \t\r\n", pick(text.size()));
    if (begin == std::string::npos) return {text.size(), 0};
    return {begin, std::min(text.find_first_of(" \t\r\n", begin), text.size()) - begin};
  }

  void change_words(std::string& text) {
    static const char* const words[] = {
        "0", "1",  "2", "3", "4", "-1", "7",     "8",        "12",  "9",   "nan",    "2147483648", "1e999",    "1.5",
        "#", "\\", "v", "f", "l", "s",  "facet", "endsolid", "OFF", "end", "vertex", "solid",      "$Elements"};
    const auto [begin, length] = pick_word(text);
    const std::string word = text.substr(begin, length);
    switch (pick(6)) {
      case 0:
        text.replace(begin, length, words[pick(std::size(words))]);
        return;
      case 1:
        text.insert(begin, words[pick(std::size(words))] + std::string(" "));
        return;
      case 2:
        text.erase(begin, length);
        return;
      case 3: {  // swapped with another
        const auto [other_begin, other_length] = pick_word(text);
        const std::string other = text.substr(other_begin, other_length);
        if (begin + length > other_begin) return;
        text.replace(other_begin, other_length, word);
        text.replace(begin, length, other);
        return;
      }
      case 4:  // letters large or small
        for (std::size_t i = begin; i < begin + length; ++i) {
          if (std::isalpha(static_cast<unsigned char>(text[i])) != 0) text[i] = static_cast<char>(text[i] ^ 0x20);
        }
        return;
      default:
        text.insert(begin, word + " ");
    }
  }

  void change_ends(std::string& text) {
    static const char* const ends[] = {"\n", "\r", "\r\n", "\r\r\n", " \n", "\n\n", "\\\n", " \\ \r\n", "\t", " "};
    switch (pick(5)) {
      case 0:
        text = replace_all(text, "\n", ends[1 + pick(3)]);
        return;
      case 1:
        text = with_mixed_line_ends(text);
        return;
      case 2:
        text.insert(pick(2) == 0 ? 0 : pick(text.size()), "\xEF\xBB\xBF");
        return;
      case 3: {  // one end
        const auto [begin, length] = pick_line(text);
        const std::size_t end = find_line_end(text, begin);
        text.replace(end, begin + length - end, ends[pick(std::size(ends))]);
        return;
      }
      default: {  // a line break in place of a blank
        const std::size_t blank = text.find(' ', pick(text.size()));
        if (blank != std::string::npos) text.replace(blank, 1, ends[pick(6)]);
      }
    }
  }

  std::mt19937 random_;
};

}  // namespace clearance::test
