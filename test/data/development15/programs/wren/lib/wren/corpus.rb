require "zlib"
require "json"
module Wren
  # Chunks of ten steps, gzip: a line a row, two symbols and the one that follows. The first stage takes the symbols, the last what follows.
  class Corpus
    def initialize(c, log)
      @c, @log = c, log
    end

    def rows(step)
      k = (step - 1) / 10
      open(k) if k != @chunk
      n = @c.micro_batches * @c.rows
      a = (step - 1) % 10 * n
      @rows[a, n]
    end

    def open(k)
      t = Time.now
      path = "#{@c.data}/corpus-#{format("%03d", k % 7)}.jsonl.gz"
      @rows = Zlib::GzipReader.open(path) { |z| z.each_line.map { |l| JSON.parse(l) } }
      @chunk = k
      @log.info { format("read %s: %d rows in %.3f s", File.basename(path), @rows.size, Time.now - t) }
    end
  end
end
