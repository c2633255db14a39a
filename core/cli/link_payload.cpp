// SPDX-License-Identifier: Apache-2.0
#include "link_payload.h"

#include <zlib.h>

#include <cstdint>
#include <stdexcept>
#include <utility>

#include "link_dictionary.h"

namespace prism::cli {
namespace {

constexpr std::string_view alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
constexpr int raw_window = -15;  // zlib: largest window, no header
constexpr uInt dictionary_size = link_dictionary.size();

Bytef* input(std::string_view bytes) { return reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data())); }

}  // namespace

std::string to_base64url(std::string_view bytes) {
  std::string out;
  std::uint32_t bits = 0;
  int held = 0;
  for (const char c : bytes) {
    bits = (bits << 8) | static_cast<unsigned char>(c);
    for (held += 8; held >= 6;) out.push_back(alphabet[(bits >> (held -= 6)) & 63]);
  }
  if (held > 0) out.push_back(alphabet[(bits << (6 - held)) & 63]);
  return out;
}

std::optional<std::string> from_base64url(std::string_view text) {
  std::string out;
  std::uint32_t bits = 0;
  int held = 0;
  for (const char c : text) {
    const std::size_t digit = alphabet.find(c);
    if (digit == std::string_view::npos) return std::nullopt;
    bits = (bits << 6) | static_cast<std::uint32_t>(digit);
    if ((held += 6) >= 8) out.push_back(static_cast<char>(bits >> (held -= 8)));
  }
  const bool canonical = held < 6 && (bits & ((1u << held) - 1)) == 0;
  if (!canonical) return std::nullopt;
  return out;
}

std::string deflate_raw(std::string_view text) {
  z_stream z{};
  if (deflateInit2(&z, Z_BEST_COMPRESSION, Z_DEFLATED, raw_window, 9, Z_DEFAULT_STRATEGY) != Z_OK)
    throw std::runtime_error("zlib refuses to start");
  deflateSetDictionary(&z, input(link_dictionary), dictionary_size);
  std::string out(deflateBound(&z, static_cast<uLong>(text.size())), '\0');
  z.next_in = input(text);
  z.avail_in = static_cast<uInt>(text.size());
  z.next_out = reinterpret_cast<Bytef*>(out.data());
  z.avail_out = static_cast<uInt>(out.size());
  const int state = deflate(&z, Z_FINISH);
  out.resize(z.total_out);
  deflateEnd(&z);
  if (state != Z_STREAM_END) throw std::runtime_error("zlib did not finish");
  return out;
}

Inflated inflate_raw(std::string_view bytes, std::size_t limit) {
  z_stream z{};
  if (inflateInit2(&z, raw_window) != Z_OK) throw std::runtime_error("zlib refuses to start");
  inflateSetDictionary(&z, input(link_dictionary), dictionary_size);
  z.next_in = input(bytes);
  z.avail_in = static_cast<uInt>(bytes.size());
  std::string out;
  Bytef piece[1 << 14];
  int state = Z_OK;
  while (state == Z_OK && out.size() <= limit) {
    z.next_out = piece;
    z.avail_out = sizeof piece;
    state = inflate(&z, Z_NO_FLUSH);  // not Z_OK once it ends, fails or finds no more input
    out.append(reinterpret_cast<const char*>(piece), sizeof piece - z.avail_out);
  }
  const bool nothing_left = z.avail_in == 0;
  inflateEnd(&z);
  if (out.size() > limit) return {Inflated::too_large, {}};
  if (state != Z_STREAM_END || !nothing_left) return {Inflated::damaged, {}};
  return {Inflated::complete, std::move(out)};
}

}  // namespace prism::cli
