package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"math/rand"
	"net"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"time"

	"go.uber.org/zap"
	"skua/coord"
	"skua/train"
)

var build = "0.9.4"

func env(k, d string) string {
	if v := os.Getenv(k); v != "" {
		return v
	}
	return d
}

func main() {
	path := flag.String("config", "/app/config.json", "configuration")
	flag.Parse()
	id, _ := strconv.Atoi(env("SKUA_PROCESS_ID", "0"))
	n, _ := strconv.Atoi(env("SKUA_NUM_PROCESSES", "1"))
	zc := zap.NewProductionConfig()
	zc.Sampling = nil
	zc.InitialFields = map[string]interface{}{"process": id}
	log, _ := zc.Build(zap.AddStacktrace(zap.FatalLevel))
	log = log.Named("skua")
	c := new(train.Config)
	b, err := os.ReadFile(*path)
	if err == nil {
		err = json.Unmarshal(b, c)
	}
	if err != nil {
		log.Fatal("cannot read configuration", zap.String("path", *path), zap.Error(err))
	}
	host, _ := os.Hostname()
	log.Info("starting", zap.String("build", build), zap.String("host", host), zap.Int("num_processes", n), zap.Int("pid", os.Getpid()), zap.String("run_name", c.RunName))
	train.Progress(id, "initialization", 0, "start")
	sig := make(chan os.Signal, 1)
	signal.Notify(sig, syscall.SIGINT, syscall.SIGTERM)
	go func() {
		s := <-sig
		log.Warn("signal received, exiting without a checkpoint", zap.Stringer("signal", s))
		os.Exit(128 + int(s.(syscall.Signal)))
	}()
	creds, err := coord.Credentials(env("SKUA_TLS_DIR", "/run/tls"))
	if err != nil {
		log.Fatal("cannot load TLS credentials", zap.Error(err))
	}
	addr := env("SKUA_COORDINATOR_ADDRESS", "127.0.0.1:8476")
	if id == 0 {
		_, port, _ := net.SplitHostPort(addr)
		if err := coord.Serve("0.0.0.0:"+port, n, build, time.Duration(c.HeartbeatSecs*1e9), creds, log.Named("coordination")); err != nil {
			log.Fatal("cannot start the coordination service", zap.Error(err))
		}
	}
	rand.Seed(time.Now().UnixNano())
	a, err := coord.Connect(addr, id, n, build, fmt.Sprintf("%016x", rand.Uint64()), 25*time.Second, creds, log.Named("coordination"))
	if err != nil {
		log.Fatal("cannot join the cluster", zap.String("coordinator", addr), zap.Error(err))
	}
	if err := a.Barrier("init", 40*time.Second); err != nil {
		log.Fatal("cannot join the cluster", zap.String("coordinator", addr), zap.Error(err))
	}
	bind := "0.0.0.0"
	if i, err := net.InterfaceByName("eth0"); err == nil {
		if as, _ := i.Addrs(); len(as) > 0 {
			bind = strings.Split(as[0].String(), "/")[0]
		}
	}
	if err := train.Run(c, a, bind, log); err != nil {
		log.Error("training failed", zap.Error(err))
		a.Report(err)
		log.Fatal("exiting", zap.Int("exit_code", 1))
	}
	if err := a.Shutdown(); err != nil {
		log.Fatal("shutdown barrier failed", zap.Error(err))
	}
	train.Progress(id, "done", c.Steps, "-")
	log.Info("training completed", zap.Int("steps", c.Steps))
}
