module Wren
  ACTIVATIONS = {
    "tanh" => [->(x) { Math.tanh(x) }, ->(y) { 1.0 - y * y }],
    "relu" => [->(x) { x > 0 ? x : 0.0 }, ->(y) { y > 0 ? 1.0 : 0.0 }]
  }.freeze

  # y = x + f(W x + b), rows of width n
  class Layer
    attr_accessor :w, :b
    def initialize(n, activation, rng)
      @n = n
      @f, @df = ACTIVATIONS.fetch(activation)
      @w = Array.new(n) { Array.new(n) { rng.rand(-0.3..0.3) } }
      @b = Array.new(n, 0.0)
      zero
    end

    def zero
      @gw = Array.new(@n) { Array.new(@n, 0.0) }
      @gb = Array.new(@n, 0.0)
    end

    def forward(rows)
      h = rows.map { |x| @w.each_with_index.map { |wi, i| s = @b[i]; j = 0; while j < @n; s += wi[j] * x[j]; j += 1; end; @f.(s) } }
      [rows.zip(h).map { |x, y| x.zip(y).map { |a, c| a + c } }, h]
    end

    def backward(rows, h, grads)
      rows.each_with_index.map do |x, r|
        d = grads[r].each_with_index.map { |g, i| g * @df.(h[r][i]) }
        out = grads[r].dup
        d.each_with_index do |di, i|
          @gb[i] += di
          gwi, wi, j = @gw[i], @w[i], 0
          while j < @n
            gwi[j] += di * x[j]
            out[j] += di * wi[j]
            j += 1
          end
        end
        out
      end
    end

    def update(lr)
      sq = 0.0
      @w.each_with_index { |wi, i| @gw[i].each_with_index { |g, j| sq += g * g; wi[j] -= lr * g } }
      @gb.each_with_index { |g, i| @b[i] -= lr * g }
      zero
      Math.sqrt(sq)
    end
  end

  # the last stage's output: softmax over the symbols
  class Head
    attr_accessor :w
    def initialize(n, vocab, rng)
      @n, @vocab = n, vocab
      @w = Array.new(vocab) { Array.new(n) { rng.rand(-0.2..0.2) } }
    end

    def loss(rows, targets, lr)
      total = 0.0
      grads = rows.each_with_index.map do |x, r|
        z = @w.map { |wi| s = 0.0; wi.each_with_index { |a, j| s += a * x[j] }; s }
        top = z.max
        e = z.map { |v| Math.exp(v - top) }
        sum = e.sum
        total -= Math.log(e[targets[r]] / sum)
        out = Array.new(@n, 0.0)
        e.each_with_index do |v, i|
          d = (v / sum - (i == targets[r] ? 1.0 : 0.0)) / rows.size
          wi = @w[i]
          @n.times { |j| out[j] += d * wi[j]; wi[j] -= lr * d * x[j] }
        end
        out
      end
      [total / rows.size, grads]
    end
  end
end
