require "yaml"
$stdout.sync = true
set :application, "wren"
set :scm, nil
set :format, :pretty
set :log_level, :debug
set :pty, false
set :ssh_options, keepalive: true, keepalive_interval: 4, keepalive_maxcount: 3, verify_host_key: :never, timeout: 10
SSHKit.config.use_format :pretty
SSHKit.config.output_verbosity = Logger::DEBUG

desc "Run all stages; once more where attempts are left"
task :train do
  job = YAML.load_file("/workspace/wren.yml")
  n = roles(:stage).size
  (1..job["attempts"]).each do |attempt|
    ended = {}
    begin
      on roles(:stage), in: :parallel do |host|
        ended[host.hostname] = execute("/workspace/node.sh", host.properties.index, job["per_node"], n, attempt, raise_on_non_zero_exit: false)
      end
    rescue SignalException => e
      puts "#{e.message} received, stopping all stages"
      on roles(:stage), in: :parallel do |host|
        execute(:pkill, "-TERM", "-f", "wren.rb", raise_on_non_zero_exit: false)
      end
      exit 130
    end
    bad = ended.reject { |_, ok| ok }.keys
    break if bad.empty?
    abort "wren: stages failed on #{bad.sort.join(", ")}" if attempt == job["attempts"]
    puts "wren: attempt #{attempt} failed on #{bad.sort.join(", ")}, starting over"
    sleep 2
  end
end
