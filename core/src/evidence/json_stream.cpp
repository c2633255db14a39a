// SPDX-License-Identifier: Apache-2.0
#include "evidence/json_stream.h"

namespace prism {

void JsonStream::keep_code_point(unsigned code) {
  if (code < 0x80) {
    keep(static_cast<char>(code));
  } else if (code < 0x800) {
    keep(static_cast<char>(0xc0 | (code >> 6)));
    keep(static_cast<char>(0x80 | (code & 63)));
  } else if (code < 0x10000) {
    keep(static_cast<char>(0xe0 | (code >> 12)));
    keep(static_cast<char>(0x80 | ((code >> 6) & 63)));
    keep(static_cast<char>(0x80 | (code & 63)));
  } else {
    keep(static_cast<char>(0xf0 | (code >> 18)));
    keep(static_cast<char>(0x80 | ((code >> 12) & 63)));
    keep(static_cast<char>(0x80 | ((code >> 6) & 63)));
    keep(static_cast<char>(0x80 | (code & 63)));
  }
}

void JsonStream::escaped(char c) {
  inside_ = Inside::string;
  switch (c) {
    case 'n':
      keep('\n');
      break;
    case 't':
      keep('\t');
      break;
    case 'r':
      keep('\r');
      break;
    case 'b':
      keep('\b');
      break;
    case 'f':
      keep('\f');
      break;
    case 'u':
      inside_ = Inside::unicode;
      code_ = 0;
      hex_digits_ = 0;
      break;
    default:
      keep(c);  // also what is no escape, such as the \x of a path
  }
}

void JsonStream::hex(char c) {
  int digit = -1;
  if (c >= '0' && c <= '9')
    digit = c - '0';
  else if (c >= 'a' && c <= 'f')
    digit = c - 'a' + 10;
  else if (c >= 'A' && c <= 'F')
    digit = c - 'A' + 10;
  if (digit < 0) {
    fail("\\u without four hexadecimal digits");
    return;
  }
  code_ = code_ * 16 + static_cast<unsigned>(digit);
  if (++hex_digits_ < 4) return;
  inside_ = Inside::string;
  if (code_ >= 0xd800 && code_ < 0xdc00) {
    high_surrogate_ = code_;
  } else if (code_ >= 0xdc00 && code_ < 0xe000) {
    keep_code_point(high_surrogate_ ? 0x10000 + ((high_surrogate_ - 0xd800) << 10) + (code_ - 0xdc00)
                                    : 0xfffd);
    high_surrogate_ = 0;
  } else {
    keep_code_point(code_);
  }
}

}  // namespace prism
