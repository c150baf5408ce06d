require "yaml"
module Wren
  VERSION = "1.6.2"
  # wren.yml, overridden by WREN_<NAME> of the environment
  class Conf
    def self.load(path = "/workspace/wren.yml")
      h = YAML.load_file(path)
      h.each_key do |k|
        v = ENV["WREN_#{k.upcase}"] or next
        h[k] = h[k].is_a?(Integer) ? Integer(v) : h[k].is_a?(Float) ? Float(v) : v
      end
      new(h)
    end

    def initialize(h) = @h = h
    def method_missing(name, *) = @h.fetch(name.to_s)
    def respond_to_missing?(name, all = false) = @h.key?(name.to_s) || super
  end
end
