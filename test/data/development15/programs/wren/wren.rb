$LOAD_PATH.unshift "/workspace/lib"
require "wren/conf"
require "wren/trainer"
$stdout.sync = true
Wren::Trainer.new(Wren::Conf.load).run
