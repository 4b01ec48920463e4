#include "engine/host/radix_sort.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <functional>
#include <limits>
#include <numeric>
#include <type_traits>
#include <utility>
#include <vector>

#include "memory/copy.hpp"
#include "memory/host_memory.hpp"

namespace devarray::host {
namespace {

constexpr int kDigit = 8;  ///< bits; 11 took twice as long for rows that fill no cache
constexpr std::int64_t kDigits = std::int64_t{1} << kDigit;
constexpr std::int64_t kLane = std::int64_t{1} << 15;  ///< elements for which a further thread pays

/// Memory for elements on their way, in huge pages where the system has them.
template <class T>
class Scratch {
 public:
  explicit Scratch(std::int64_t n) : memory_(take_array_memory(static_cast<std::size_t>(n) * sizeof(T))) {}
  ~Scratch() { give_array_memory(memory_); }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  T* data() const { return reinterpret_cast<T*>(memory_.data); }

 private:
  ArrayMemory memory_;
};

/// Unsigned integers in the order of elements, and the elements again.
template <class Word, char kind>
struct Keys {
  static constexpr Word kSign = static_cast<Word>(Word{1} << (8 * sizeof(Word) - 1));
  static constexpr Word kInfinity = sizeof(Word) == 2   ? static_cast<Word>(0x7c00)
                                    : sizeof(Word) == 4 ? static_cast<Word>(0x7f800000)
                                                        : static_cast<Word>(0x7ff0000000000000);
  bool descending;

  static bool is_nan(Word bits) { return static_cast<Word>(bits & ~kSign) > kInfinity; }
  static bool is_zero(Word bits) { return static_cast<Word>(bits & ~kSign) == 0; }

  Word of(Word bits) const {
    if constexpr (kind == 'b') bits = bits != 0;
    if constexpr (kind == 'i') bits = static_cast<Word>(bits ^ kSign);
    if constexpr (kind == 'f') {
      const Word negative = static_cast<Word>(bits & kSign ? ~Word{0} : kSign);
      bits = is_nan(bits) ? static_cast<Word>(~Word{0}) : is_zero(bits) ? kSign : static_cast<Word>(bits ^ negative);
    }
    return descending ? static_cast<Word>(~bits) : bits;
  }
  Word back(Word key) const {
    if (descending) key = static_cast<Word>(~key);
    if constexpr (kind == 'i') return static_cast<Word>(key ^ kSign);
    if constexpr (kind == 'f') return static_cast<Word>(key ^ (key & kSign ? kSign : ~Word{0}));
    return key;
  }
};

/// What a first look at a row finds.
template <class Word>
struct Seen {
  Word least = std::numeric_limits<Word>::max(), most = 0;  ///< of the keys
  bool in_order = true;
  bool alike = false;  ///< whether elements of different bits have one key: NaN, or -0

  void join(const Seen& other) {
    least = std::min(least, other.least);
    most = std::max(most, other.most);
    in_order &= other.in_order;
    alike |= other.alike;
  }
};

/// A row, and how it is sorted.
template <class Word, char kind>
struct Row {
  const Word* data;
  std::int64_t size;
  Keys<Word, kind> keys;
  unsigned lanes;

  std::int64_t begin(unsigned lane) const { return size / lanes * lane + std::min<std::int64_t>(lane, size % lanes); }
  void in_lanes(const std::function<void(unsigned)>& work) const { in_parallel(lanes, work, true); }

  Seen<Word> seen() const {
    std::vector<Seen<Word>> parts(lanes);
    in_lanes([&](unsigned lane) {
      Seen<Word> part;
      const std::int64_t first = begin(lane);
      Word before = first ? keys.of(data[first - 1]) : 0;
      for (std::int64_t i = first, end = begin(lane + 1); i < end; ++i) {
        const Word key = keys.of(data[i]);
        part.in_order &= before <= key;
        part.least = std::min(part.least, key);
        part.most = std::max(part.most, key);
        if constexpr (kind == 'f') part.alike |= keys.is_nan(data[i]) || data[i] == Keys<Word, kind>::kSign;
        before = key;
      }
      parts[lane] = part;
    });
    for (unsigned lane = 1; lane < lanes; ++lane) parts[0].join(parts[lane]);
    return parts[0];
  }

  /// Moves read(0) to read(size - 1) to `to`, in the order of a digit that digit_of gives, as write() has them.
  template <class Read, class DigitOf, class Write, class To>
  void pass(Read&& read, DigitOf&& digit_of, Write&& write, To* to) const {
    using Places = std::array<std::int64_t, kDigits>;
    std::vector<Places> places(lanes);
    in_lanes([&](unsigned lane) {
      Places counts{};
      for (std::int64_t i = begin(lane), end = begin(lane + 1); i < end; ++i) ++counts[digit_of(read(i))];
      places[lane] = counts;
    });
    std::int64_t place = 0;
    for (std::int64_t digit = 0; digit < kDigits; ++digit)
      for (Places& of_lane : places) place += std::exchange(of_lane[digit], place);
    in_lanes([&](unsigned lane) {
      Places at = places[lane];
      for (std::int64_t i = begin(lane), end = begin(lane + 1); i < end; ++i) {
        const auto element = read(i);
        const std::int64_t to_place = at[digit_of(element)]++;
        if (to_place < size) to[to_place] = write(element);  // a row that others write to has no true counts
      }
    });
  }

  /// Passes over `bits` bits of elements that first(i) makes, through `a` and `b`; the last one writes to `out`.
  template <class Element, class First, class KeyOf, class Write, class To>
  void passes(int bits, int from, Element* a, Element* b, First&& first, KeyOf&& key_of, Write&& write, To* out) const {
    const auto same = [](const Element& x) { return x; };
    for (int shift = from; shift < from + bits; shift += kDigit) {
      const auto digit_of = [&](const Element& x) { return key_of(x) >> shift & (kDigits - 1); };
      const auto taken = [a](std::int64_t i) { return a[i]; };
      const bool is_first = shift == from, is_last = shift + kDigit >= from + bits;
      if (is_first && is_last)
        pass(first, digit_of, write, out);
      else if (is_first)
        pass(first, digit_of, same, b);
      else if (is_last)
        pass(taken, digit_of, write, out);
      else
        pass(taken, digit_of, same, b);
      std::swap(a, b);
    }
  }

  /// Where equal keys stand for elements of different bits, those elements in their order.
  void tell_apart(Word* out) const {
    const auto place_of = [&](Word bits) {
      return std::lower_bound(out, out + size, keys.of(bits), [&](Word x, Word key) { return keys.of(x) < key; });
    };
    Word* zero = place_of(0);
    Word* missing = place_of(static_cast<Word>(~Keys<Word, kind>::kSign));
    for (std::int64_t i = 0; i < size; ++i) {
      if (keys.is_zero(data[i])) *zero++ = data[i];
      if (keys.is_nan(data[i])) *missing++ = data[i];
    }
  }

  void sort(Word* out) const {
    const Seen<Word> s = seen();
    if (s.in_order) return void(std::copy_n(data, size, out));
    const int bits = std::bit_width(static_cast<Word>(s.most - s.least));
    const bool in_out =
        (bits + kDigit - 1) / kDigit % 2 == 0;  // which is written by every second pass from the last on
    Scratch<Word> scratch(bits > kDigit ? size : 0);
    passes(
        bits, 0, in_out ? out : scratch.data(), in_out ? scratch.data() : out,
        [&](std::int64_t i) { return static_cast<Word>(keys.of(data[i]) - s.least); }, [](Word key) { return key; },
        [&](Word key) { return keys.back(static_cast<Word>(key + s.least)); }, out);
    if constexpr (kind == 'f')
      if (s.alike) tell_apart(out);
  }

  struct Placed {
    Word key;
    std::int64_t place;
  };

  void argsort(std::int64_t* out) const {
    const Seen<Word> s = seen();
    if (s.in_order) return std::iota(out, out + size, std::int64_t{0});
    const int bits = std::bit_width(static_cast<Word>(s.most - s.least));
    const int low = std::bit_width(static_cast<std::uint64_t>(size - 1));
    const auto key = [&](std::int64_t i) { return static_cast<Word>(keys.of(data[i]) - s.least); };
    if (bits + low <= 64) {  // a word holds a key and, below it, its place
      auto* words = reinterpret_cast<std::uint64_t*>(out);
      const bool in_out = (bits + kDigit - 1) / kDigit % 2 == 0;
      Scratch<std::uint64_t> scratch(bits > kDigit ? size : 0);
      passes(
          bits, low, in_out ? words : scratch.data(), in_out ? scratch.data() : words,
          [&](std::int64_t i) { return std::uint64_t{key(i)} << low | static_cast<std::uint64_t>(i); },
          [](std::uint64_t word) { return word; },
          [&](std::uint64_t word) { return word & ((std::uint64_t{1} << low) - 1); }, words);
    } else {
      Scratch<Placed> a(size), b(size);
      passes(
          bits, 0, a.data(), b.data(), [&](std::int64_t i) { return Placed{key(i), i}; },
          [](const Placed& x) { return x.key; }, [](const Placed& x) { return x.place; }, out);
    }
  }
};

/// Calls work(a word of the elements' size, a constant of their kind).
template <class Work>
void with_words(Elements elements, Work&& work) {
  const auto of_size = [&]<char kind>(std::integral_constant<char, kind> k) {
    switch (elements.itemsize) {
      case 1:
        if constexpr (kind != 'f') work(std::uint8_t{}, k);
        break;
      case 2: return work(std::uint16_t{}, k);
      case 4: return work(std::uint32_t{}, k);
      default: return work(std::uint64_t{}, k);
    }
  };
  switch (elements.kind) {
    case 'b': return work(std::uint8_t{}, std::integral_constant<char, 'b'>{});
    case 'i': return of_size(std::integral_constant<char, 'i'>{});
    case 'f': return of_size(std::integral_constant<char, 'f'>{});
    default: return of_size(std::integral_constant<char, 'u'>{});
  }
}

/// Calls one(row, result, threads) for all rows: several beside each other where they keep the threads busy.
template <class Out, class One>
void by_rows(Elements elements, const void* in, Out* out, std::int64_t out_size, std::int64_t rows, std::int64_t length,
             One&& one) {
  const auto* from = static_cast<const char*>(in);
  auto* to = reinterpret_cast<char*>(out);
  const auto call = [&](std::int64_t row, unsigned lanes) {
    one(from + row * length * elements.itemsize, to + row * length * out_size, lanes);
  };
  const auto threads = static_cast<std::int64_t>(copy_threads());
  const std::int64_t by_size = std::clamp<std::int64_t>(rows * length / kLane, 1, threads);
  if (rows < by_size) {
    const auto lanes = static_cast<unsigned>(std::clamp<std::int64_t>(length / kLane, 1, threads));
    for (std::int64_t row = 0; row < rows; ++row) call(row, lanes);
  } else {
    std::atomic<std::int64_t> next{0};
    in_parallel(static_cast<unsigned>(by_size), [&](unsigned) {
      for (std::int64_t row; (row = next.fetch_add(1)) < rows;) call(row, 1);
    });
  }
}

}  // namespace

bool sorts_by_digits(Elements elements) noexcept {
  const std::int64_t size = elements.itemsize;
  switch (elements.kind) {
    case 'b': return size == 1;
    case 'i':
    case 'u': return size == 1 || size == 2 || size == 4 || size == 8;
    case 'f': return size == 2 || size == 4 || size == 8;
    default: return false;
  }
}

void sort_by_digits(Elements elements, const void* in, void* out, std::int64_t rows, std::int64_t length,
                    bool descending) {
  with_words(elements, [&]<class Word, char kind>(Word, std::integral_constant<char, kind>) {
    by_rows(elements, in, out, elements.itemsize, rows, length, [&](const char* from, char* to, unsigned lanes) {
      Row<Word, kind>{reinterpret_cast<const Word*>(from), length, {descending}, lanes}.sort(
          reinterpret_cast<Word*>(to));
    });
  });
}

void argsort_by_digits(Elements elements, const void* in, std::int64_t* out, std::int64_t rows, std::int64_t length,
                       bool descending) {
  with_words(elements, [&]<class Word, char kind>(Word, std::integral_constant<char, kind>) {
    by_rows(elements, in, out, sizeof(std::int64_t), rows, length, [&](const char* from, char* to, unsigned lanes) {
      Row<Word, kind>{reinterpret_cast<const Word*>(from), length, {descending}, lanes}.argsort(
          reinterpret_cast<std::int64_t*>(to));
    });
  });
}

}  // namespace devarray::host
