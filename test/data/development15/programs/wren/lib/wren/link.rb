require "socket"
module Wren
  class PeerError < StandardError; end
  class PeerTimeout < PeerError; end

  # A connection to one stage; frames are (kind, step, micro-batch, length), then the body.
  class Link
    attr_reader :peer
    def initialize(sock, peer, seconds)
      @sock, @peer, @seconds = sock, peer, seconds
      @sock.setsockopt(Socket::IPPROTO_TCP, Socket::TCP_NODELAY, 1)
    end

    def send(kind, step, micro, body)
      data = [kind.ord, step, micro, body.bytesize].pack("CNNN") + body
      until data.empty?
        n = @sock.write_nonblock(data, exception: false)
        if n == :wait_writable
          raise PeerTimeout, "#{@peer} takes no data for #{@seconds} s" unless @sock.wait_writable(@seconds)
        else
          data = data.byteslice(n..)
        end
      end
    rescue SystemCallError => e
      raise PeerError, "send to #{@peer} failed: #{e.message}"
    end

    def recv(kind, step, micro)
      k, s, m, n = exactly(13, kind, step).unpack("CNNN")
      raise PeerError, "#{@peer} sent #{k.chr} of step #{s}.#{m}, expected #{kind} of #{step}.#{micro}" unless [k.chr, s, m] == [kind, step, micro]
      exactly(n, kind, step)
    end

    def close = @sock.close

    private

    NAMES = { "F" => "activations", "B" => "gradients", "C" => "control", "H" => "handshake" }.freeze

    def exactly(n, kind, step)
      buf = +"".b
      while buf.bytesize < n
        x = @sock.read_nonblock(n - buf.bytesize, exception: false)
        if x == :wait_readable
          raise PeerTimeout, "no #{NAMES[kind]} of step #{step} from #{@peer} within #{@seconds} s" unless @sock.wait_readable(@seconds)
        elsif x.nil?
          raise PeerError, "#{@peer} closed the connection while #{NAMES[kind]} of step #{step} were due"
        else
          buf << x
        end
      end
      buf
    rescue SystemCallError => e
      raise PeerError, "receive from #{@peer} failed: #{e.message}"
    end
  end
end
