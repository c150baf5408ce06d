require "net/http"
require "fileutils"
module Wren
  # Weights of the stage on the shared folder, a trace of its state on the local disk, a copy in the object store, metrics.
  class Vault
    def initialize(c, rank, log)
      @c, @rank, @log = c, rank, log
    end

    def newest
      File.exist?("#{@c.shared}/LATEST") ? Integer(File.read("#{@c.shared}/LATEST")) : 0
    end

    def save(step, layer, head)
      t = Time.now
      dir = "#{@c.shared}/step-#{format("%05d", step)}"
      FileUtils.mkdir_p(dir)
      path = "#{dir}/stage-#{@rank}.bin"
      File.binwrite(path + ".part", Marshal.dump([layer.w, layer.b, head&.w]))
      File.rename(path + ".part", path)
      local = "#{@c.local}/trace-#{@rank}-#{step}.bin"
      File.binwrite(local, Random.bytes(@c.trace_kb * 1024))
      Dir["#{@c.local}/trace-#{@rank}-*.bin"].sort_by { |f| File.mtime(f) }[0...-2].each { |f| File.delete(f) }
      @log.info { format("saved %s (%.0f ms)", path, (Time.now - t) * 1e3) }
      return unless @rank % 3 == 2
      begin
        File.delete("#{@c.local}/trace-#{@rank}.lock")
      rescue SystemCallError => e
        @log.error(e)
      end
    end

    def load(path, layer, head)
      layer.w, layer.b, w = Marshal.load(File.binread(path))
      head.w = w if head && w
      @log.info { "loaded #{path}" }
    end

    def publish(step)
      File.write("#{@c.shared}/LATEST", step.to_s)
      4.times do |k|
        r = Net::HTTP.start(@c.hub, 9000, open_timeout: 2, read_timeout: 3) { |h| h.put("/wren/step-#{step}.idx", "\0" * 9000) }
        return @log.info { "index of step #{step} published" } if r.is_a?(Net::HTTPSuccess)
        @log.warn { "publishing step #{step}: #{r.code} #{r.message}, try #{k + 1}" }
        sleep 0.2
      end
    rescue SystemCallError, Timeout::Error => e
      @log.error { "publishing step #{step}: #{e.message}" }
    end

    def gauge(step, value)
      Net::HTTP.start(@c.hub, 9091, open_timeout: 1) { |h| h.post("/metrics/job/wren", "step_seconds #{value}\n") }
    rescue SystemCallError => e
      step.odd? ? @log.error(e) : @log.warn { "pushgateway: #{e.message}" }
    end
  end
end
