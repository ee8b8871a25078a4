// Every reader of text accepts every kind of line end and a byte order mark, and refuses a text that is cut off.
#include <gtest/gtest.h>

#include "clearance/io/files/text_file.h"
#include "clearance/io/files/text_lines.h"
#include "clearance/io/mesh/vtu.h"
#include "io_mesh/text_samples.h"

namespace clearance::test {
namespace {

const char* const byte_order_mark = "\xEF\xBB\xBF";

void expect_same_in_any_form(const std::function<std::string(const std::string&)>& change) {
  for (const TextSample& sample : text_samples()) {
    SCOPED_TRACE(sample.name);
    const Mesh expected = expect_mesh(sample.file, sample.text);
    expect_same(expect_mesh(sample.file, change(sample.text)), expected);
  }
}

TEST(LineEnds, CarriageReturnsAloneEndLinesInEveryFormat) {
  expect_same_in_any_form([](const std::string& text) { return replace_all(text, "\n", "\r"); });
}

TEST(LineEnds, CarriageReturnAndLineFeedEndLinesInEveryFormat) {
  expect_same_in_any_form([](const std::string& text) { return replace_all(text, "\n", "\r\n"); });
}

TEST(LineEnds, FilesThatWereConvertedTwiceKeepTheirLinesInEveryFormat) {
  expect_same_in_any_form([](const std::string& text) { return replace_all(text, "\n", "\r\r\n"); });
}

TEST(LineEnds, MixedLineEndsAreReadInEveryFormat) {
  expect_same_in_any_form(with_mixed_line_ends);
}

TEST(LineEnds, AByteOrderMarkIsPassedOverInEveryFormat) {
  expect_same_in_any_form([](const std::string& text) { return byte_order_mark + text; });
}

TEST(LineEnds, AByteOrderMarkBeforeCarriageReturnsIsPassedOverInEveryFormat) {
  expect_same_in_any_form([](const std::string& text) { return byte_order_mark + replace_all(text, "\n", "\r"); });
}

TEST(LineEnds, BlanksBeforeLineEndsChangeNothingInAnyFormat) {
  expect_same_in_any_form([](const std::string& text) { return replace_all(text, "\n", " \t\n"); });
}

TEST(LineEnds, TheLastLineNeedsNoEndInAnyFormat) {
  expect_same_in_any_form([](const std::string& text) { return text.substr(0, text.size() - 1); });
}

TEST(LineEnds, WideCharactersAreRefusedByNameInEveryFormat) {
  for (const TextSample& sample : text_samples()) {
    if (sample.file == "a.vtu") continue;  // says that a tag is not complete
    SCOPED_TRACE(sample.name);
    std::string wide = "\xFF\xFE";
    for (const char c : sample.text) wide += std::string{c, '\0'};
    expect_refused(sample.file, wide, "UTF-16");
  }
}

TEST(LineEnds, MessagesCountLinesOfEveryKind) {
  for (const char* end : {"\n", "\r", "\r\n", "\r\r\n"}) {
    const auto mesh = read_text_mesh("a.obj", replace_all("v 0 0 0\n\nv 0 0 0\nv 0 x 0\n", "\n", end));
    ASSERT_FALSE(mesh.has_value());
    EXPECT_EQ(mesh.issues()[0].place, "line 4");
  }
}

TEST(LineEnds, CountsAndEndsOfMixedLinesAreExact) {
  const std::string text = "a\rb\r\nc\r\r\nd\n\re";
  EXPECT_EQ(with_plain_lines(byte_order_mark + text), "a\nb\nc\nd\n\ne");
  EXPECT_EQ(line_number(text, 0), 1u);
  EXPECT_EQ(line_number(text, text.find('b')), 2u);
  EXPECT_EQ(line_number(text, text.find('c')), 3u);
  EXPECT_EQ(line_number(text, text.find('d')), 4u);
  EXPECT_EQ(line_number(text, text.find('e')), 6u);
  EXPECT_EQ(line_number(text, 1000), 6u);
  EXPECT_EQ(line_break_length("\r\r", 0), 1u);
  EXPECT_EQ(find_line_end("ab", 5), 2u);
}

TEST(LineEnds, TextFilesComeWithoutMarkAndWithPlainLines) {
  const TemporaryFolder folder;
  write_text(folder / "a.txt", byte_order_mark + std::string("one\rtwo\r\nthree"));
  const auto text = read_text_file(folder / "a.txt");
  ASSERT_TRUE(text.has_value());
  EXPECT_EQ(*text, "one\ntwo\nthree");
  write_text(folder / "a.txt", std::string("\xFE\xFF\0a", 4));
  EXPECT_FALSE(read_text_file(folder / "a.txt").has_value());
}

/// Expects the whole mesh or an error, whatever is missing at the end of the file.
void expect_whole_or_refused(const TextSample& sample) {
  const Mesh whole = expect_mesh(sample.file, sample.text);
  const TemporaryFolder folder;
  for (std::size_t length = 0; length + 1 < sample.text.size(); ++length) {
    write_text(folder / sample.file, std::string_view(sample.text).substr(0, length));
    const auto mesh = read_mesh(folder / sample.file);
    if (!mesh.has_value()) continue;
    const std::string cut = sample.text.substr(length);
    EXPECT_EQ(mesh->triangles.size(), whole.triangles.size()) << sample.name << " without:\n" << cut;
    EXPECT_EQ(mesh->tets.size(), whole.tets.size()) << sample.name << " without:\n" << cut;
    EXPECT_EQ(mesh->vertices.size(), whole.vertices.size()) << sample.name << " without:\n" << cut;
  }
}

TEST(CutFiles, EveryFormatWithAnEndOrCountsLosesNothingInSilence) {
  for (const TextSample& sample : text_samples()) {
    // These formats promise nothing: every line is optional.
    if (sample.file == "a.obj" || sample.file == "a.seg" || sample.file == "a.pt") continue;
    expect_whole_or_refused(sample);
  }
}

TEST(CutFiles, ElementsOfTetGenAreCountedToo) {
  const std::string elements = "2 4 0\n1 1 2 3 5\n2 8 3 2 5\n";
  const TemporaryFolder folder;
  for (const TextSample& sample : text_samples()) {
    if (sample.file == "a.node") write_text(folder / "a.node", sample.text);
  }
  write_text(folder / "a.ele", elements);
  ASSERT_TRUE(read_mesh(folder / "a.ele").has_value());
  for (std::size_t length = 0; length + 1 < elements.size(); ++length) {
    write_text(folder / "a.ele", std::string_view(elements).substr(0, length));
    EXPECT_FALSE(read_mesh(folder / "a.ele").has_value()) << elements.substr(length);
  }
}

TEST(CutFiles, AVtuWithAppendedDataNeedsItsEnd) {
  const TemporaryFolder folder;
  Frame frame;
  frame.mesh = make_mesh(true, true);
  ASSERT_TRUE(write_frame(folder / "a.vtu", frame).has_value());
  const std::string bytes = read_text(folder / "a.vtu");
  for (std::size_t length = bytes.find("<AppendedData"); length < bytes.rfind("</VTKFile"); ++length) {
    write_text(folder / "a.vtu", std::string_view(bytes).substr(0, length));
    EXPECT_FALSE(read_mesh(folder / "a.vtu").has_value()) << length;
  }
}

}  // namespace
}  // namespace clearance::test
