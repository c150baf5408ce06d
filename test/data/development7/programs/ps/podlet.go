// podlet runs one pod on a node: starts its container's process, writes its output in the CRI log format, starts it again where the
// policy says so, and ends it at the deadline.   podlet -pod NAME [-restarts N] [-deadline D] -- COMMAND..
package main

import (
	"bufio"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"time"
)

var (
	pod      = flag.String("pod", "", "namespace/name of the pod")
	restarts = flag.Int("restarts", 0, "how often a container that failed is started again")
	deadline = flag.Duration("deadline", 0, "active deadline of the pod")
	folder   = flag.String("logs", "/var/log/job/pods", "folder of the containers' logs")
)

func klog(level byte, format string, args ...any) {
	_, file, line, _ := runtime.Caller(1)
	fmt.Printf("%c%s %7d %s:%d] %s\n", level, time.Now().Format("0102 15:04:05.000000"), os.Getpid(), filepath.Base(file), line,
		fmt.Sprintf(format, args...))
}

func capture(r io.Reader, stream string, out io.Writer, mu *sync.Mutex, wg *sync.WaitGroup) {
	defer wg.Done()
	s := bufio.NewScanner(r)
	s.Buffer(make([]byte, 1<<20), 1<<20)
	for s.Scan() {
		mu.Lock()
		fmt.Fprintf(out, "%s %s F %s\n", time.Now().UTC().Format("2006-01-02T15:04:05.000000000Z"), stream, s.Text())
		mu.Unlock()
	}
}

func run(attempt int) (int, string) {
	dir := filepath.Join(*folder, strings.ReplaceAll(*pod, "/", "_"), "trainer")
	os.MkdirAll(dir, 0o755)
	log, err := os.Create(filepath.Join(dir, fmt.Sprintf("%d.log", attempt)))
	if err != nil {
		klog('E', "\"Failed to open container log\" pod=%q err=%q", *pod, err)
		return 128, "ContainerCannotRun"
	}
	c := exec.Command(flag.Arg(0), flag.Args()[1:]...)
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	o, _ := c.StdoutPipe()
	e, _ := c.StderrPipe()
	if err := c.Start(); err != nil {
		klog('E', "\"Failed to start container\" pod=%q err=%q", *pod, err)
		return 128, "StartError"
	}
	klog('I', "\"Container started\" pod=%q container=\"trainer\" restartCount=%d pid=%d", *pod, attempt, c.Process.Pid)
	var mu sync.Mutex
	var wg sync.WaitGroup
	wg.Add(2)
	go capture(o, "stdout", log, &mu, &wg)
	go capture(e, "stderr", log, &mu, &wg)
	reason := "Error"
	stop := make(chan os.Signal, 1)
	signal.Notify(stop, syscall.SIGTERM)
	done := make(chan error, 1)
	go func() { wg.Wait(); done <- c.Wait() }()
	var late <-chan time.Time
	if *deadline > 0 {
		late = time.After(*deadline)
	}
	for {
		select {
		case <-done:
			st := c.ProcessState.Sys().(syscall.WaitStatus)
			if st.Signaled() {
				return 128 + int(st.Signal()), reason
			}
			if st.ExitStatus() == 0 {
				reason = "Completed"
			}
			return st.ExitStatus(), reason
		case <-late:
			klog('W', "\"Pod was active on the node longer than the specified deadline\" pod=%q activeDeadlineSeconds=%.0f", *pod,
				deadline.Seconds())
			reason = "DeadlineExceeded"
			syscall.Kill(-c.Process.Pid, syscall.SIGTERM)
		case <-stop:
			klog('I', "\"Killing container with a grace period\" pod=%q container=\"trainer\" gracePeriod=10", *pod)
			syscall.Kill(-c.Process.Pid, syscall.SIGTERM)
		}
	}
}

func main() {
	flag.Parse()
	klog('I', "\"Pod sandbox ready\" pod=%q", *pod)
	klog('W', "\"Failed to get rootfs info, eviction by disk pressure is off\" err=\"unable to find data in memory cache\"")
	klog('E', "\"Failed to retrieve node info for labels\" err=\"nodes.topology not found\" node=%q", os.Getenv("NODE_NAME"))
	for attempt := 0; ; attempt++ {
		code, reason := run(attempt)
		level := byte('I')
		if code != 0 {
			level = 'E'
		}
		klog(level, "\"Container exited\" pod=%q container=\"trainer\" exitCode=%d reason=%q", *pod, code, reason)
		if code == 0 || attempt >= *restarts || reason == "DeadlineExceeded" {
			os.Exit(code)
		}
		wait := time.Second << attempt
		klog('W', "\"Back-off restarting failed container\" pod=%q backOff=%q", *pod, wait)
		time.Sleep(wait)
	}
}
