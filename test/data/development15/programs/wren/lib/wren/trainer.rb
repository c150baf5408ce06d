require "logger"
require "json"
require "socket"
require "wren/link"
require "wren/layer"
require "wren/corpus"
require "wren/vault"
module Wren
  # A pipeline of stages, a layer each: micro-batches go forward, their gradients back. Stage 0 keeps the register and the gate of checkpoints.
  class Trainer
    def initialize(c)
      @c, @rank, @world = c, Integer(ENV["RANK"]), Integer(ENV["WORLD_SIZE"])
      @log = Logger.new($stdout, progname: "stage#{@rank}")
      @first, @last = @rank == 0, @rank == @world - 1
      @t = Hash.new(0.0)
    end

    def mark(stage, step, phase = "-") = File.write("/run/rr/rank-#{@rank}", "#{stage} #{step} #{phase}")

    def run
      mark("init", 0)
      Signal.trap("TERM") { $stdout.syswrite("stage#{@rank}: SIGTERM\n"); exit!(143) }
      @log.info { "wren #{VERSION}, ruby #{RUBY_VERSION}, #{Socket.gethostname} (pid #{$$}), attempt #{ENV["WREN_ATTEMPT"]}" }
      begin
        require "numo/narray"
      rescue LoadError => e
        @log.warn { "plain arrays are used: #{e.message}" }
      end
      warn "Wren::Layer#update without momentum is deprecated and will be removed in 2.0", category: :deprecated if @rank.odd?
      at = prepare
      connect
      train(at)
      @up&.close
      @log.info { "done" }
    rescue StandardError, NoMemoryError => e
      @log.fatal(e)
      exit!(1)
    end

    def prepare
      mark("load", 0)
      rng = Random.new(@c.seed + @rank)
      @layer = Layer.new(@c.width, @c.activation, rng)
      @head = Head.new(@c.width, @c.vocab, rng) if @last
      @embed = Array.new(2) { |k| r = Random.new(@c.seed + 50 + k); Array.new(@c.vocab) { Array.new(@c.width) { r.rand(-0.5..0.5) } } } if @first
      @vault = Vault.new(@c, @rank, @log)
      at = @vault.newest
      if at > 0
        @vault.load("#{@c.shared}/step-#{format("%05d", at)}/stage-#{@rank}.bin", @layer, @head)
      elsif !@c.warm_start.empty?
        @vault.load("#{@c.warm_start}/stage-#{@rank}.bin", @layer, nil)
      end
      @log.info { "layer #{@c.width}x#{@c.width} #{@c.activation}#{", head #{@c.vocab}" if @last}, #{@c.micro_batches} micro-batches of #{@c.rows}" }
      at
    end

    # every stage tells stage 0 where it listens and learns where the next one does
    def connect
      mark("join", 0)
      srv = TCPServer.new("0.0.0.0", 0)
      me = "#{Socket.gethostname}:#{srv.addr[1]}"
      if @first
        reg = TCPServer.new("0.0.0.0", @c.port)
        @log.info { "register listens on port #{@c.port}, waiting for #{@world - 1} stages" }
        @members = {}
        where = { 0 => me }
        deadline = Time.now + @c.join_s
        while @members.size < @world - 1
          left = deadline - Time.now
          unless left > 0 && reg.wait_readable(left)
            raise PeerTimeout, "#{@members.size + 1} of #{@world} stages are here after #{@c.join_s} s, missing: #{((1...@world).to_a - @members.keys).map { |k| "stage#{k}" }.join(", ")}"
          end
          s = reg.accept
          d = JSON.parse(Link.new(s, "a stage", 5).recv("H", 0, 0))
          where[d["stage"]] = d["at"]
          @members[d["stage"]] = Link.new(s, "stage#{d["stage"]} (#{d["at"]})", @c.link_s)
        end
        @members.each_value { |l| l.send("H", 0, 1, JSON.dump(where)) }
      else
        s = dial(@c.register, @c.port)
        @gate = Link.new(s, "stage0 (#{@c.register}:#{@c.port})", @c.join_s)
        @gate.send("H", 0, 0, JSON.dump(stage: @rank, at: me))
        where = JSON.parse(@gate.recv("H", 0, 1)).transform_keys(&:to_i)
        @gate = Link.new(s, "stage0 (#{@c.register}:#{@c.port})", @c.link_s)
      end
      unless @last
        h, p = where[@rank + 1].split(":")
        @down = Link.new(TCPSocket.new(h, p.to_i), "stage#{@rank + 1} (#{where[@rank + 1]})", @c.link_s)
      end
      unless @first
        raise PeerTimeout, "stage#{@rank - 1} (#{where[@rank - 1]}) did not connect" unless srv.wait_readable(10)
        @up = Link.new(srv.accept, "stage#{@rank - 1} (#{where[@rank - 1]})", @c.link_s)
      end
      @log.info { "linked: #{[@up&.peer, @down&.peer].compact.join(" <- me -> ")}" }
    end

    def dial(host, port)
      tries = 0
      begin
        TCPSocket.new(host, port, connect_timeout: 3)
      rescue SystemCallError, SocketError => e
        tries += 1
        raise if tries == @c.dial_tries
        @log.warn { "register #{host}:#{port}: #{e.message} (try #{tries} of #{@c.dial_tries})" } if tries > 8 && tries % 4 == 0
        sleep 0.5
        retry
      end
    end

    def timed(name)
      t = Process.clock_gettime(Process::CLOCK_MONOTONIC)
      x = yield
      @t[name] += Process.clock_gettime(Process::CLOCK_MONOTONIC) - t
      x
    end

    def pack(rows) = rows.flatten.pack("g*")
    def unpack(s) = s.unpack("g*").each_slice(@c.width).to_a

    def step(k)
      @t.clear
      m = @c.micro_batches
      rows = timed("read") { @corpus.rows(k) } if @first || @last
      kept = Array.new(m)
      loss, back = 0.0, Array.new(m)
      mark("iter", k, "forward")
      m.times do |i|
        x = if @first
          rows[i * @c.rows, @c.rows].map { |a, b, _| @embed[0][a].zip(@embed[1][b]).map(&:sum) }
        else
          unpack(timed("wait") { @up.recv("F", k, i) })
        end
        y, h = timed("fwd") { sleep @c.pad_s; @layer.forward(x) }
        kept[i] = [x, h]
        if @last
          l, back[i] = timed("fwd") { @head.loss(y, rows[i * @c.rows, @c.rows].map(&:last), @c.lr / m) }
          loss += l / m
        else
          timed("send") { @down.send("F", k, i, pack(y)) }
        end
      end
      mark("iter", k, "backward")
      m.times do |i|
        unless @last
          s = timed("wait") { @down.recv("B", k, i) }
          loss = s.unpack1("g")
          back[i] = unpack(s.byteslice(4..))
        end
        g = timed("bwd") { sleep @c.pad_s; @layer.backward(*kept[i], back[i]) }
        timed("send") { @up.send("B", k, i, [loss].pack("g") + pack(g)) } unless @first
      end
      norm = @layer.update(@c.lr / m)
      raise FloatDomainError, "loss #{loss} in step #{k}" unless loss.finite?
      [loss, norm]
    end

    # nobody goes on before all stages have saved
    def gate(k)
      mark("iter", k, "gate")
      if @first
        @members.each_value { |l| l.recv("C", k, 0) }
        @vault.publish(k)
        @members.each_value { |l| l.send("C", k, 1, "go") }
      else
        @gate.send("C", k, 0, "saved")
        @gate.recv("C", k, 1)
      end
    end

    def train(at)
      @corpus = Corpus.new(@c, @log)
      @log.info { "begin at step #{at + 1} of #{@c.steps}, #{@world} stages" } if @first || @last
      (at + 1..@c.steps).each do |k|
        t = Process.clock_gettime(Process::CLOCK_MONOTONIC)
        loss, norm = step(k)
        took = Process.clock_gettime(Process::CLOCK_MONOTONIC) - t
        ms = @t.map { |n, v| "#{n} #{(v * 1e3).round}" }.join(" ")
        if @last && k.even?
          @log.info { format("step %d/%d  nll %.4f  ppl %.2f  %.1f rows/s  [ms: %s]", k, @c.steps, loss, Math.exp(loss), @c.micro_batches * @c.rows / took, ms) }
        elsif !@last && k % 10 == 0
          @log.info { format("at step %d: |g| %.4f  [ms: %s]", k, norm, ms) }
        end
        @log.warn { format("step %d took %.2f s  [ms: %s]", k, took, ms) } if took > @c.slow_s
        @vault.gauge(k, took) if k % 18 == @rank + 3
        if k % @c.save_every == 0
          mark("iter", k, "save")
          @vault.save(k, @layer, @head)
          gate(k)
        end
      end
      gate(@c.steps + 1)
    end
  end
end
