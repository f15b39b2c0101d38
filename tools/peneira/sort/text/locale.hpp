// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// What LC_ALL, LC_COLLATE, LC_CTYPE, LC_NUMERIC, LC_TIME and LANG say about the order of texts, characters, numbers and
// months, as GNU sort reads it. The rest of the program stays in the C locale.
#pragma once

#include <locale.h>  // NOLINT(modernize-deprecated-headers): POSIX' part of it

#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace peneira::tool {

class text_locale {
 public:
  /// Whether the environment asks for another than C.
  static bool wanted();
  /// The one that the environment sets; nullptr where it is none of this machine.
  static std::unique_ptr<const text_locale> of_environment();
  /// Whether this machine has a locale of that name.
  static bool exists(const char* name);

  text_locale(const text_locale&) = delete;
  text_locale& operator=(const text_locale&) = delete;
  text_locale(text_locale&&) = delete;
  text_locale& operator=(text_locale&&) = delete;
  ~text_locale();

  /// Whether texts are in another order than that of their bytes.
  [[nodiscard]] bool collates() const { return collates_; }
  /// What the order of texts is called.
  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] char decimal_point() const { return decimal_point_; }

  /// Whether the order of texts is neither called C nor POSIX, even if it is that.
  [[nodiscard]] bool named() const { return name_ != "C" && name_ != "POSIX"; }
  /// The first level of what orders the text up to its first NUL, as bytes: where they differ, so do the texts.
  void first_level(std::string_view text, std::string& to) const;
  /// What GNU sort -R takes for the text: strxfrm of each of its parts that NUL ends, and NUL.
  std::string_view transformed(std::string_view text, std::string& to) const;
  /// The order of two texts.
  [[nodiscard]] int compare(std::string_view a, std::string_view b) const;

  [[nodiscard]] bool is_printing(unsigned char c) const { return printing_[c]; }
  [[nodiscard]] bool is_alphanumeric(unsigned char c) const { return alphanumeric_[c]; }
  [[nodiscard]] char upper(char c) const { return upper_[static_cast<unsigned char>(c)]; }

  /// A number as the C locale writes it, with its unit if it is to have one; it may lie in `buffer`.
  [[nodiscard]] std::string_view plain_number(std::string_view key, bool human, std::string& buffer) const;
  /// The number that a text begins with.
  [[nodiscard]] long double real(const char* text, char** end) const;
  /// 1 to 12 for a text that begins with the short name of a month, else 0.
  [[nodiscard]] char month(std::string_view text) const;

 private:
  struct month_name {
    std::string name;
    char number = 0;
  };

  explicit text_locale(locale_t handle);
  /// The unit behind a number, such as K; nothing where it is 0 or written in a way that has none.
  [[nodiscard]] std::optional<char> unit_of(std::string_view number) const;
  [[nodiscard]] bool separates(char c) const { return thousands_ && *thousands_ == c; }

  locale_t handle_;
  std::string name_;
  bool collates_ = false;
  char decimal_point_ = '.';
  std::optional<char> thousands_;
  std::array<bool, 256> printing_{};
  std::array<bool, 256> alphanumeric_{};
  std::array<char, 256> upper_{};
  std::array<month_name, 12> months_;  ///< by their names
};

}  // namespace peneira::tool
