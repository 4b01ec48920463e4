// Folds: the values of one output into its accumulator, in the order of the reduction kernels of CPUs. Names are those
// of devarray/codegen/kernels/reduction.py. Included by loops.inl alone.

constexpr int kSteps = 16;  // elements that an accumulator takes before its value is added with care
constexpr int kMostLanes = 16, kMostUnroll = 32;

/// What is accumulated: the identity, and how two values become one.
template <FoldKind K, DType T>
struct Folding {
  using V = Value<T>;
  static constexpr bool careful = K == FoldKind::sum && (is_real(T) || is_complex(T));

  static inline V identity() {
    if constexpr (K == FoldKind::prod) {
      if constexpr (is_complex(T))
        return V{1, 0};
      else
        return V(1);
    } else if constexpr (K == FoldKind::min || K == FoldKind::max) {
      constexpr bool least = K == FoldKind::max;
      if constexpr (is_complex(T)) {
        using R = decltype(V::re);
        const R edge = least ? -static_cast<R>(__builtin_inf()) : static_cast<R>(__builtin_inf());
        return V{edge, edge};
      } else if constexpr (is_real(T)) {
        return least ? -static_cast<V>(__builtin_inf()) : static_cast<V>(__builtin_inf());
      } else if constexpr (T == DType::bool_) {
        return !least;
      } else if constexpr (is_signed(T)) {
        constexpr V top = static_cast<V>(static_cast<Word<T>>(~Word<T>(0)) >> 1);
        return least ? static_cast<V>(-top - 1) : top;
      } else {
        return least ? V(0) : static_cast<V>(~V(0));
      }
    } else {
      return V{};
    }
  }
  static inline V join(V a, V b) {
    if constexpr (K == FoldKind::sum) return Add::of<T>(a, b);
    if constexpr (K == FoldKind::prod) return Multiply::of<T>(a, b);
    if constexpr (K == FoldKind::min) return Minimum::of<T>(a, b);
    if constexpr (K == FoldKind::max) return Maximum::of<T>(a, b);
  }
};

/// As many numbers as a vector of AVX2 holds. Written out where compilers make single numbers of lanes side by side.
template <class V>
struct Vector {
  typedef V type __attribute__((vector_size(32)));
  static constexpr int lanes = 32 / sizeof(V);
  static inline void load(type& v, const V* from) { __builtin_memcpy(&v, from, sizeof v); }
  static inline void store(V* to, const type& v) { __builtin_memcpy(to, &v, sizeof v); }
};

/// What L work-items side by side hold: the lanes of a row, or as many columns.
template <FoldKind K, DType T, int L>
struct Lanes {
  using F = Folding<K, T>;
  using V = Value<T>;
  static constexpr bool careful = F::careful;

  V sum[L], err[L] = {}, held[L];
  int blocks = 0;

  Lanes() {
    for (int l = 0; l < L; ++l) sum[l] = held[l] = F::identity();
  }

  template <class R>
  static inline void two_sum(R& s, R& e, const R& x) {
    const R y = s + x, z = y - s;
    e += (s - (y - z)) + (x - z);
    s = y;
  }
  inline void add_one(int l, V x) {
    if constexpr (!careful) {
      sum[l] = F::join(sum[l], x);
    } else if constexpr (is_complex(T)) {
      two_sum(sum[l].re, err[l].re, x.re);
      two_sum(sum[l].im, err[l].im, x.im);
    } else {
      two_sum(sum[l], err[l], x);
    }
  }
  inline void add(const V* x) {
    if constexpr (careful && is_real(T) && L > 1) {
      using W = Vector<V>;
      for (int l = 0; l < L; l += W::lanes) {
        typename W::type s, e, y;
        W::load(s, sum + l), W::load(e, err + l), W::load(y, x + l);
        two_sum(s, e, y);
        W::store(sum + l, s), W::store(err + l, e);
      }
    } else {
      for (int l = 0; l < L; ++l) add_one(l, x[l]);
    }
  }
  /// The first `count` lanes alone. A call, so that compilers keep the lanes side by side and make vectors of them.
  __attribute__((noinline)) void add_some(const V* x, int count) {
    for (int l = 0; l < count; ++l) add_one(l, x[l]);
  }
  inline void add_errors() {
    if constexpr (careful && is_real(T) && L > 1) {
      using W = Vector<V>;
      for (int l = 0; l < L; l += W::lanes) {
        typename W::type s, e;
        W::load(s, sum + l), W::load(e, err + l);
        W::store(sum + l, e - e == 0 ? s + e : s);
      }
      return;
    }
    for (int l = 0; l < L; ++l) {
      if constexpr (careful && is_complex(T)) {
        if (err[l].re - err[l].re == 0) sum[l].re += err[l].re;
        if (err[l].im - err[l].im == 0) sum[l].im += err[l].im;
      } else if constexpr (careful) {
        if (err[l] - err[l] == 0) sum[l] += err[l];
      }
    }
  }

  /// `unroll` rows, `apart` values from each other, into one.
  static inline void block(V* acc, const V* from, int unroll, std::int64_t apart) {
    for (int l = 0; l < L; ++l) acc[l] = F::identity();
    for (int k = 0; k < unroll; ++k, from += apart)
      for (int l = 0; l < L; ++l) acc[l] = F::join(acc[l], from[l]);
  }

  // Of rows that are `step` values apart.
  void narrow_stretch(const V* v, std::int64_t stop, std::int64_t step, int unroll) {
    V acc[L];
    std::int64_t t = 0;
    for (; t + unroll - 1 < stop; t += unroll) {
      block(acc, v + t * step, unroll, step);
      add(acc);
    }
    for (; t < stop; ++t) add(v + t * step);
  }

  void strip_stretch(const V* v, std::int64_t stop, std::int64_t step, int unroll, std::int64_t piece) {
    const int together = careful && kSteps - unroll > 1 ? kSteps - unroll : 1;
    V acc[L];
    std::int64_t t = 0;
    while (t + unroll - 1 < stop) {
      const bool far = stop - t >= unroll * piece;
      const std::int64_t apart = far ? piece : 1, stride = far ? 1 : unroll;
      const std::int64_t after = t + (far ? unroll * piece : (stop - t) / unroll * unroll);
      const std::int64_t turn = far ? t + piece : after;
      for (; t < turn; t += stride) {
        block(acc, v + t * step, unroll, apart * step);
        if (together == 1) {
          add(acc);
          continue;
        }
        for (int l = 0; l < L; ++l) held[l] = F::join(held[l], acc[l]);
        if (++blocks == together) {
          blocks = 0;
          close_held();
        }
      }
      t = after;
    }
    for (; t < stop; ++t) add(v + t * step);
  }
  void close_held() {
    add(held);
    for (int l = 0; l < L; ++l) held[l] = F::identity();
  }
};

/// A row of one lane: `unroll` accumulators, which are added as a tree. `U` is that number where it is known.
template <FoldKind K, DType T, int U = 0>
inline void lane_stretch(Lanes<K, T, 1>& lane, const Value<T>* v, std::int64_t stop, int given) {
  using F = Folding<K, T>;
  if constexpr (U == 0) {
    if (given == 8) return lane_stretch<K, T, 8>(lane, v, stop, given);
    if (given == 1) return lane_stretch<K, T, 1>(lane, v, stop, given);
  }
  const int unroll = U ? U : given;
  Value<T> acc[U ? U : kMostUnroll];
  std::int64_t t = 0;
  while (t + unroll - 1 < stop) {
    const std::int64_t limit = static_cast<std::int64_t>(unroll) * kSteps;
    const std::int64_t last = (F::careful && stop - t > limit ? t + limit : stop) - (unroll - 1);
    for (int k = 0; k < unroll; ++k) acc[k] = F::identity();
    for (; t < last; t += unroll)
      for (int k = 0; k < unroll; ++k) acc[k] = F::join(acc[k], v[t + k]);
    for (int half = unroll / 2; half; half /= 2)
      for (int k = 0; k < half; ++k) acc[k] = F::join(acc[k], acc[k + half]);
    lane.add(acc);
  }
  for (; t < stop; ++t) lane.add(v + t);
}

/// Calls `stretch(first, count)` for each piece without a break from `begin` to `end`.
template <class F>
inline void each_stretch(std::int64_t begin, std::int64_t end, std::int64_t length, F&& stretch) {
  if (begin == 0 && end <= length) return stretch(begin, end);  // a division takes as long as a short row
  for (std::int64_t at = begin; at < end;) {
    const std::int64_t left = length - at % length, count = left < end - at ? left : end - at;
    stretch(at, count);
    at += count;
  }
}

/// `unroll` accumulators for each lane.
template <FoldKind K, DType T, int unroll>
Value<T> fold_lanes(const Value<T>* v, std::int64_t begin, std::int64_t end, const FoldOrder& order) {
  using F = Folding<K, T>;
  using V = Value<T>;
  constexpr int L = kMostLanes;
  Lanes<K, T, L> lane;
  constexpr std::int64_t step = static_cast<std::int64_t>(L) * unroll;
  constexpr std::int64_t steps = F::careful ? kSteps : kApart;
  V acc[unroll][L];
  each_stretch(begin, end, order.stretch, [&](std::int64_t row, std::int64_t stop) {
    const V* w = v + row;
    std::int64_t t = 0;
    while (t + step - 1 < stop) {
      const bool far = stop - t >= unroll * kApart;
      const std::int64_t apart = far ? kApart : L, stride = far ? L : step;
      const std::int64_t after = t + (far ? unroll * kApart : (stop - t) / step * step);
      const std::int64_t turn = far ? t + kApart : after;
      while (t < turn) {
        const std::int64_t last = turn - t > steps * stride ? t + steps * stride : turn;
        for (int k = 0; k < unroll; ++k)
          for (int l = 0; l < L; ++l) acc[k][l] = F::identity();
        for (; t < last; t += stride)
          for (int k = 0; k < unroll; ++k) {
            const V* from = w + t + k * apart;
            for (int l = 0; l < L; ++l) acc[k][l] = F::join(acc[k][l], from[l]);
          }
        for (int half = unroll / 2; half; half /= 2)
          for (int k = 0; k < half; ++k)
            for (int l = 0; l < L; ++l) acc[k][l] = F::join(acc[k][l], acc[k + half][l]);
        lane.add(acc[0]);
      }
      t = after;
    }
    for (; t + L <= stop; t += L) lane.add(w + t);
    if (t < stop) lane.add_some(w + t, static_cast<int>(stop - t));
  });
  lane.add_errors();
  for (int h = L / 2; h > 0; h /= 2)
    for (int l = 0; l < h; ++l) lane.sum[l] = F::join(lane.sum[l], lane.sum[l + h]);
  return lane.sum[0];
}

/// What one group accumulates of L columns, whose rows are `step` values apart.
template <FoldKind K, DType T, int L>
void fold_columns_part(Value<T>* out, const Value<T>* v, std::int64_t begin, std::int64_t end, std::int64_t step,
                       const FoldOrder& order) {
  Lanes<K, T, L> lanes;
  each_stretch(begin, end, order.stretch, [&](std::int64_t row, std::int64_t count) {
    if (order.walk == FoldOrder::Walk::narrow)
      lanes.narrow_stretch(v + row * step, count, step, order.unroll);
    else
      lanes.strip_stretch(v + row * step, count, step, order.unroll, order.piece);
  });
  if (order.walk == FoldOrder::Walk::strip && Folding<K, T>::careful && kSteps - order.unroll > 1) lanes.close_held();
  lanes.add_errors();
  for (int l = 0; l < L; ++l) out[l] = lanes.sum[l];
}

/// What one group accumulates.
template <FoldKind K, DType T>
Value<T> fold_part(const Value<T>* v, std::int64_t begin, std::int64_t end, const FoldOrder& order) {
  if (order.walk == FoldOrder::Walk::lanes)
    return order.unroll == 8 ? fold_lanes<K, T, 8>(v, begin, end, order) : fold_lanes<K, T, 4>(v, begin, end, order);
  if (order.walk != FoldOrder::Walk::lane) {
    Value<T> sum;
    fold_columns_part<K, T, 1>(&sum, v, begin, end, 1, order);
    return sum;
  }
  Lanes<K, T, 1> lane;
  each_stretch(begin, end, order.stretch,
               [&](std::int64_t row, std::int64_t count) { lane_stretch<K, T>(lane, v + row, count, order.unroll); });
  lane.add_errors();
  return lane.sum[0];
}

template <DType T>
inline const Value<T>* row_of(const void* values, std::int64_t bytes) {
  return reinterpret_cast<const Value<T>*>(static_cast<const char*>(values) + bytes);
}

template <FoldKind K, DType T>
Value<T> fold_of(const Value<T>* v, std::int64_t total, const FoldOrder& order) {
  if constexpr (is_real(T) || is_complex(T)) {
    using F = Folding<K, T>;
    if (order.chunk >= total) return fold_part<K, T>(v, 0, total, order);
    Value<T> lanes[kMostLanes];  // the last group to come merges the parts, its lanes in turns
    const int count = order.walk == FoldOrder::Walk::lanes ? kMostLanes : 1;
    for (int l = 0; l < count; ++l) lanes[l] = F::identity();
    int l = 0;
    for (std::int64_t at = 0; at < total; at += order.chunk, l = (l + 1) % count)
      lanes[l] = F::join(lanes[l], fold_part<K, T>(v, at, total - at < order.chunk ? total : at + order.chunk, order));
    for (int h = count / 2; h > 0; h /= 2)
      for (l = 0; l < h; ++l) lanes[l] = F::join(lanes[l], lanes[l + h]);
    return lanes[0];
  } else {  // integers: every order gives the same
    Value<T> sum = Folding<K, T>::identity();
    for (std::int64_t i = 0; i < total; ++i) sum = Folding<K, T>::join(sum, v[i]);
    return sum;
  }
}
template <FoldKind K, DType T>
void fold(void* out, const void* values, std::int64_t total, const FoldOrder& order, std::int64_t rows,
          std::int64_t step) {
  auto* results = static_cast<Value<T>*>(out);
  for (std::int64_t r = 0; r < rows; ++r) results[r] = fold_of<K, T>(row_of<T>(values, r * step), total, order);
}

template <FoldKind K, DType T>
void fold_columns(void* out, const void* values, std::int64_t total, std::int64_t step, const FoldOrder& order) {
  using F = Folding<K, T>;
  constexpr int L = kFoldColumns;
  const auto* v = static_cast<const Value<T>*>(values);
  Value<T> sum[L], part[L];
  for (int l = 0; l < L; ++l) sum[l] = F::identity();
  if constexpr (is_real(T) || is_complex(T)) {
    if (order.chunk >= total)
      fold_columns_part<K, T, L>(sum, v, 0, total, step, order);
    else
      for (std::int64_t at = 0; at < total; at += order.chunk) {
        fold_columns_part<K, T, L>(part, v, at, total - at < order.chunk ? total : at + order.chunk, step, order);
        for (int l = 0; l < L; ++l) sum[l] = F::join(sum[l], part[l]);
      }
  } else {
    for (std::int64_t t = 0; t < total; ++t)
      for (int l = 0; l < L; ++l) sum[l] = F::join(sum[l], v[t * step + l]);
  }
  __builtin_memcpy(out, sum, sizeof sum);
}

/// Whether `a` comes before `b`; a NaN comes before every number.
template <bool Least, DType T>
inline bool better(Value<T> a, Value<T> b) {
  if constexpr (is_complex(T))
    return less(Least ? a : b, Least ? b : a) || (nan(a) && !nan(b));
  else if constexpr (is_real(T))
    return !(Least ? a >= b : a <= b) & (b == b);
  else
    return Least ? a < b : a > b;
}
/// An unsigned integer as wide as V, so that comparisons of V fill one in as many lanes.
template <class V>
constexpr auto same_width() {
  if constexpr (sizeof(V) == 8)
    return std::uint64_t(0);
  else if constexpr (sizeof(V) == 4)
    return std::uint32_t(0);
  else if constexpr (sizeof(V) == 2)
    return std::uint16_t(0);
  else
    return std::uint8_t(0);
}
template <bool Least, DType T>
std::int64_t place_of(const Value<T>* v, std::int64_t total) {
  constexpr std::int64_t kBlock = 128;  // few blocks hold a better value than all before them: most are only asked that
  std::int64_t at = 0, first = 0;
  if constexpr (!is_complex(T))
    for (; first + kBlock <= total; first += kBlock) {
      const Value<T> best = v[at];
      decltype(same_width<Value<T>>()) any = 0;
      for (std::int64_t i = first; i < first + kBlock; ++i) any |= better<Least, T>(v[i], best) ? 1 : 0;
      if (!any) continue;
      for (std::int64_t i = first; i < first + kBlock; ++i)
        if (better<Least, T>(v[i], v[at])) at = i;
    }
  for (std::int64_t i = first; i < total; ++i)
    if (better<Least, T>(v[i], v[at])) at = i;
  return at;
}
template <bool Least, DType T>
void fold_place(void* out, const void* values, std::int64_t total, const FoldOrder&, std::int64_t rows,
                std::int64_t step) {
  auto* results = static_cast<std::int64_t*>(out);
  for (std::int64_t r = 0; r < rows; ++r) results[r] = place_of<Least, T>(row_of<T>(values, r * step), total);
}

// Of bools, whatever is reduced: kernels ask whether a value is other than zero.
template <FoldKind K>
void fold_truths(void* out, const void* values, std::int64_t total, const FoldOrder&, std::int64_t rows,
                 std::int64_t step) {
  const auto* v = static_cast<const Truth*>(values);
  for (std::int64_t r = 0; r < rows; ++r, v += step) {
    if constexpr (K == FoldKind::count) {
      std::int64_t n = 0;
      for (std::int64_t i = 0; i < total; ++i) n += v[i];
      static_cast<std::int64_t*>(out)[r] = n;
    } else {
      Truth all = K == FoldKind::all;
      for (std::int64_t i = 0; i < total; ++i) all = K == FoldKind::all ? all & v[i] : all | v[i];
      static_cast<Truth*>(out)[r] = all;
    }
  }
}

/// Whether values are added, multiplied or compared by loops that have the kernels' bits.
template <FoldKind K, DType T>
constexpr bool accumulates() {
  if (T == DType::bool_ || T == DType::float16)  // float16 is accumulated in float32
    return K == FoldKind::min || K == FoldKind::max;
  return K != FoldKind::prod ||
         !is_complex(T);  // 1 times infinity: compilers differ in whether 0 times infinity is in it
}

template <FoldKind K, int T>
constexpr Fold fold_entry() {
  constexpr auto t = static_cast<DType>(T);
  if constexpr (K == FoldKind::argmin || K == FoldKind::argmax)
    return &fold_place<K == FoldKind::argmin, t>;
  else if constexpr (accumulates<K, t>())
    return &fold<K, t>;
  else
    return nullptr;
}
template <FoldKind K, int T>
constexpr FoldColumns columns_entry() {
  constexpr auto t = static_cast<DType>(T);
  if constexpr (accumulates<K, t>())
    return &fold_columns<K, t>;
  else
    return nullptr;
}
struct FoldRow {
  Fold of[kDTypes];
  FoldColumns columns[kDTypes];
};
template <FoldKind K, int... T>
constexpr FoldRow fold_row(std::integer_sequence<int, T...>) {
  if constexpr (K == FoldKind::argmin || K == FoldKind::argmax)
    return {{fold_entry<K, T>()...}, {}};
  else
    return {{fold_entry<K, T>()...}, {columns_entry<K, T>()...}};
}
template <FoldKind K>
constexpr FoldRow kFolds = fold_row<K>(std::make_integer_sequence<int, kDTypes>());

Fold find_fold(FoldKind kind, DType accumulator) {
  const auto t = static_cast<int>(accumulator);
  switch (kind) {
    case FoldKind::sum: return kFolds<FoldKind::sum>.of[t];
    case FoldKind::prod: return kFolds<FoldKind::prod>.of[t];
    case FoldKind::min: return kFolds<FoldKind::min>.of[t];
    case FoldKind::max: return kFolds<FoldKind::max>.of[t];
    case FoldKind::argmin: return kFolds<FoldKind::argmin>.of[t];
    case FoldKind::argmax: return kFolds<FoldKind::argmax>.of[t];
    case FoldKind::any: return &fold_truths<FoldKind::any>;
    case FoldKind::all: return &fold_truths<FoldKind::all>;
    default: return &fold_truths<FoldKind::count>;
  }
}

FoldColumns find_fold_columns(FoldKind kind, DType accumulator) {
  const auto t = static_cast<int>(accumulator);
  switch (kind) {
    case FoldKind::sum: return kFolds<FoldKind::sum>.columns[t];
    case FoldKind::prod: return kFolds<FoldKind::prod>.columns[t];
    case FoldKind::min: return kFolds<FoldKind::min>.columns[t];
    case FoldKind::max: return kFolds<FoldKind::max>.columns[t];
    default: return nullptr;
  }
}
