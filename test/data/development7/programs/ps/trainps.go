// trainps: synchronous training of a bigram language model with a parameter server, over plain TCP and gob.
//
// Rank 0 is the server, all others are workers that pull parameters and push gradients once a round.
package main

import (
	"bytes"
	"encoding/gob"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"hash/crc32"
	"io"
	"log/slog"
	"math"
	"math/rand"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"sort"
	"strconv"
	"strings"
	"sync"
	"time"
)

const vocab = 256

var (
	rank, world  = number("RANK"), number("WORLD_SIZE")
	hidden       = flag.Int("hidden", 16, "width of the embedding")
	rounds       = flag.Int("rounds", 60, "rounds to train")
	batch        = flag.Int("batch", 256, "pairs of tokens in a batch")
	every        = flag.Int("checkpoint-every", 20, "rounds between checkpoints")
	seed         = flag.Int64("seed", 5, "seed of parameters and shuffling")
	pause        = flag.Duration("pause", 350*time.Millisecond, "time that a worker takes for other things in a round")
	roundTimeout = flag.Duration("round-timeout", 20*time.Second, "how long the server waits for gradients")
	joinTimeout  = flag.Duration("join-timeout", 45*time.Second, "how long the server waits for workers")
	server       = flag.String("server", "node-00:7700", "address of the parameter server")
	schedule     = flag.String("schedule", "/workspace/schedule.csv", "learning rate of each round")
)

type hello struct{ Rank, Hidden int; Host string }
type push struct{ Round int; Loss float64; Grad []float64 }
type pull struct{ Round int; Refused string; Params []float64 }

func number(name string) int {
	n, err := strconv.Atoi(os.Getenv(name))
	if err != nil {
		fmt.Fprintf(os.Stderr, "trainps: %s is not set\n", name)
		os.Exit(2)
	}
	return n
}

// stand tells whoever watches from outside where the program stands.
func stand(stage string, at int, phase string) {
	os.WriteFile(fmt.Sprintf("/run/rr/rank-%d", rank), []byte(fmt.Sprintf("%-8s %6d %-12s\n", stage, at, phase)), 0o644)
}

func fail(msg string, args ...any) {
	slog.Error(msg, args...)
	os.Exit(1)
}

// metrics are pushed to a collector that is often not there; nobody minds.
func metrics(round int) {
	c, err := net.DialTimeout("tcp", "controller:4317", time.Second)
	if err != nil {
		slog.Error("metrics export failed, dropping batch", "round", round, "err", err)
		return
	}
	c.Close()
}

func upload(name string, body []byte) error {
	var last error
	for try := 1; try <= 5; try++ {
		req, _ := http.NewRequest("PUT", "http://controller:9000/ps/"+name, bytes.NewReader(body))
		res, err := http.DefaultClient.Do(req)
		if err == nil {
			res.Body.Close()
			if res.StatusCode == 200 {
				return nil
			}
			err = fmt.Errorf("unexpected status %s", res.Status)
		}
		last = err
		slog.Warn("upload failed, will retry", "object", name, "try", try, "err", err)
		time.Sleep(time.Duration(try) * 150 * time.Millisecond)
	}
	return fmt.Errorf("upload of %s: %w", name, last)
}

// ---------------------------------------------------------------- server

type peer struct {
	rank int
	host string
	conn net.Conn
	enc  *gob.Encoder
	dec  *gob.Decoder
}

func accept(l net.Listener) []*peer {
	peers := map[int]*peer{}
	end := time.Now().Add(*joinTimeout)
	for len(peers) < world-1 {
		l.(*net.TCPListener).SetDeadline(end)
		c, err := l.Accept()
		if err != nil {
			missing := []int{}
			for r := 1; r < world; r++ {
				if peers[r] == nil {
					missing = append(missing, r)
				}
			}
			fail("not all workers joined", "joined", len(peers), "expected", world-1, "missing", missing, "err", err)
		}
		p := &peer{conn: c, enc: gob.NewEncoder(c), dec: gob.NewDecoder(c)}
		var h hello
		if err := p.dec.Decode(&h); err != nil {
			slog.Warn("bad handshake", "remote", c.RemoteAddr(), "err", err)
			c.Close()
			continue
		}
		if h.Hidden != *hidden {
			why := fmt.Sprintf("parameter shape [%d %d] does not fit the server's [%d %d]", vocab, h.Hidden, vocab, *hidden)
			slog.Error("worker refused", "worker", h.Rank, "host", h.Host, "reason", why)
			p.enc.Encode(pull{Refused: why})
			c.Close()
			continue
		}
		p.rank, p.host = h.Rank, h.Host
		peers[h.Rank] = p
		slog.Info("worker joined", "worker", h.Rank, "host", h.Host, "remote", c.RemoteAddr(), "joined", len(peers))
	}
	all := []*peer{}
	for _, p := range peers {
		all = append(all, p)
	}
	sort.Slice(all, func(i, k int) bool { return all[i].rank < all[k].rank })
	return all
}

func checkpoint(round int, params []float64) {
	stand("ckpt", round, "save")
	var b bytes.Buffer
	gob.NewEncoder(&b).Encode(params)
	name := fmt.Sprintf("round-%06d.gob", round)
	path := filepath.Join("/mnt/dfs/ckpt", name)
	f, err := os.Create(path + ".part")
	if err == nil {
		_, err = f.Write(b.Bytes())
		err = errors.Join(err, f.Sync(), f.Close())
	}
	if err == nil {
		err = os.Rename(path+".part", path)
	}
	if err != nil {
		fail("checkpoint failed", "round", round, "err", err)
	}
	if err := upload(name, []byte("{}")); err != nil {
		fail("checkpoint not published", "round", round, "err", err)
	}
	slog.Info("checkpoint written", "round", round, "path", path, "bytes", b.Len())
}

func serve() {
	r := rand.New(rand.NewSource(*seed))
	params := make([]float64, 2*vocab**hidden)
	for i := range params {
		params[i] = r.NormFloat64() * .1
	}
	l, err := net.Listen("tcp", ":7700")
	if err != nil {
		fail("cannot listen", "err", err)
	}
	slog.Info("parameter server up", "addr", l.Addr(), "params", len(params), "workers", world-1)
	stand("init", -1, "")
	peers := accept(l)
	slog.Info("all workers joined, training starts", "rounds", *rounds)
	for round := 1; round <= *rounds; round++ {
		stand("iter", round, "gather")
		begin := time.Now()
		var mu sync.Mutex
		var wg sync.WaitGroup
		got, loss, slowest, last := make([][]float64, world), 0.0, 0, time.Duration(0)
		errs := make([]error, world)
		for _, p := range peers {
			wg.Add(1)
			go func() {
				defer wg.Done()
				p.conn.SetDeadline(time.Now().Add(*roundTimeout))
				if errs[p.rank] = p.enc.Encode(pull{Round: round, Params: params}); errs[p.rank] != nil {
					return
				}
				var g push
				if errs[p.rank] = p.dec.Decode(&g); errs[p.rank] != nil {
					return
				}
				mu.Lock()
				defer mu.Unlock()
				got[p.rank], loss = g.Grad, loss+g.Loss/float64(world-1)
				if t := time.Since(begin); t > last {
					slowest, last = p.rank, t
				}
			}()
		}
		wg.Wait()
		lost := []int{}
		for _, p := range peers {
			if errs[p.rank] != nil {
				lost = append(lost, p.rank)
				slog.Error("no gradient from worker", "round", round, "worker", p.rank, "host", p.host, "err", errs[p.rank])
			}
		}
		if len(lost) > 0 {
			fail("round incomplete, giving up", "round", round, "lost", lost)
		}
		if math.IsNaN(loss) || math.IsInf(loss, 0) {
			fail("loss is not finite", "round", round, "loss", loss)
		}
		for i := range params {
			s := 0.0
			for _, p := range peers {
				s += got[p.rank][i]
			}
			params[i] -= s / float64(world-1)
		}
		if round%2 == 0 || round == *rounds {
			slog.Info("round closed", "round", round, "of", *rounds, "loss", math.Round(loss*1e4)/1e4,
				"took", time.Since(begin).Round(time.Millisecond), "slowest", slowest)
		}
		if round%15 == 9 {
			metrics(round)
		}
		if round%*every == 0 {
			checkpoint(round, params)
		}
	}
	stand("end", *rounds, "")
	for _, p := range peers {
		p.enc.Encode(pull{Round: -1})
	}
	slog.Info("training finished", "rounds", *rounds)
}

// ---------------------------------------------------------------- worker

type shard struct {
	File   string
	Tokens int64
	Crc32  uint32
}

func shards(folder string) []*os.File {
	raw, err := os.ReadFile(folder + "/index.json")
	if err != nil {
		fail("no index of shards", "err", err)
	}
	var index struct{ Shards []shard }
	if err := json.Unmarshal(raw, &index); err != nil {
		fail("index of shards is damaged", "err", err)
	}
	open, tokens := []*os.File{}, int64(0)
	for _, s := range index.Shards {
		f, err := os.Open(filepath.Join(folder, s.File))
		if err != nil {
			fail("shard cannot be opened", "err", err)
		}
		h := crc32.NewIEEE()
		n, err := io.Copy(h, f)
		if err != nil || n != s.Tokens || h.Sum32() != s.Crc32 {
			fail("shard does not match the index", "file", f.Name(), "tokens", n, "crc32", fmt.Sprintf("%08x", h.Sum32()), "want",
				fmt.Sprintf("%08x", s.Crc32), "err", err)
		}
		open, tokens = append(open, f), tokens+n
	}
	slog.Info("data ready", "shards", len(open), "tokens", tokens)
	return open
}

func rates(path string) []float64 {
	raw, err := os.ReadFile(path)
	if err != nil {
		fail("no schedule", "err", err)
	}
	out := []float64{}
	for _, l := range strings.Fields(string(raw)) {
		x, err := strconv.ParseFloat(l, 64)
		if err != nil {
			fail("schedule is damaged", "file", path, "line", len(out)+1, "err", err)
		}
		out = append(out, x)
	}
	return out
}

type worker struct {
	files []*os.File
	rates []float64
	rnd   *rand.Rand
	grad  []float64
}

func (w *worker) pairs() []byte {
	f := w.files[w.rnd.Intn(len(w.files))]
	b := make([]byte, *batch+1)
	st, err := f.Stat()
	if err != nil {
		fail("cannot read batch", "err", err)
	}
	if w.rnd.Float64() < .02 {
		slog.Warn("read of batch was slow", "file", f.Name(), "ms", 200)
		time.Sleep(200 * time.Millisecond)
	}
	size := int64(65536)
	at := w.rnd.Int63n(size - int64(len(b)))
	if _, err := f.ReadAt(b, at); err != nil {
		fail("cannot read batch", "file", f.Name(), "offset", at, "size", st.Size(), "err", err)
	}
	return b
}

// step returns the loss; the gradient times the learning rate is left in w.grad.
func (w *worker) step(round int, p []float64) float64 {
	b, h, loss := w.pairs(), *hidden, 0.0
	rate := w.rates[round]
	clear(w.grad)
	logits := make([]float64, vocab)
	for k := 0; k < *batch; k++ {
		x, y := int(b[k]), int(b[k+1])
		top := math.Inf(-1)
		for v := range logits {
			s := 0.0
			for i := 0; i < h; i++ {
				s += p[x*h+i] * p[vocab*h+v*h+i]
			}
			logits[v] = s
			top = math.Max(top, s)
		}
		sum := 0.0
		for v := range logits {
			logits[v] = math.Exp(logits[v] - top)
			sum += logits[v]
		}
		loss -= math.Log(logits[y] / sum)
		for v := range logits {
			d := logits[v] / sum
			if v == y {
				d--
			}
			d *= rate / float64(*batch)
			for i := 0; i < h; i++ {
				w.grad[x*h+i] += d * p[vocab*h+v*h+i]
				w.grad[vocab*h+v*h+i] += d * p[x*h+i]
			}
		}
	}
	return loss / float64(*batch)
}

func (w *worker) keep(round int) {
	stand("ckpt", round, "state")
	path := fmt.Sprintf("/mnt/local/snapshots/worker-%d.state", rank)
	var b bytes.Buffer
	gob.NewEncoder(&b).Encode(w.grad)
	if err := os.WriteFile(path, b.Bytes(), 0o644); err != nil {
		fail("cannot keep state", "round", round, "err", err)
	}
	slog.Info("state kept", "round", round, "path", path)
}

func join() (net.Conn, error) {
	var last error
	for try := 1; try <= 20; try++ {
		c, err := net.DialTimeout("tcp", *server, 3*time.Second)
		if err == nil {
			return c, nil
		}
		last = err
		slog.Warn("parameter server not reachable yet", "try", try, "err", err)
		time.Sleep(time.Duration(min(try, 6)) * 300 * time.Millisecond)
	}
	return nil, last
}

func work() {
	host, _ := os.Hostname()
	stand("data", -1, "")
	w := &worker{files: shards("/mnt/local/data"), rates: rates(*schedule), rnd: rand.New(rand.NewSource(*seed + int64(rank)))}
	w.grad = make([]float64, 2*vocab**hidden)
	stand("init", -1, "")
	c, err := join()
	if err != nil {
		fail("cannot join", "server", *server, "err", err)
	}
	enc, dec := gob.NewEncoder(c), gob.NewDecoder(c)
	enc.Encode(hello{rank, *hidden, host})
	slog.Info("joined", "server", *server, "local", c.LocalAddr())
	for {
		c.SetDeadline(time.Now().Add(*joinTimeout + *roundTimeout))
		var p pull
		if err := dec.Decode(&p); err != nil {
			fail("lost the parameter server", "err", err)
		}
		if p.Refused != "" {
			fail("the server refused this worker", "reason", p.Refused)
		}
		if p.Round < 0 {
			break
		}
		stand("iter", p.Round, "gradient")
		begin := time.Now()
		loss := w.step(p.Round-1, p.Params)
		time.Sleep(time.Duration(float64(*pause) * (.8 + .4*rand.Float64())))
		stand("iter", p.Round, "push")
		if err := enc.Encode(push{p.Round, loss, w.grad}); err != nil {
			fail("push failed", "round", p.Round, "err", err)
		}
		if p.Round%10 == rank%10 {
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			slog.Info("worker stats", "round", p.Round, "compute", time.Since(begin).Round(time.Millisecond), "heap_kb", m.HeapAlloc>>10,
				"num_gc", m.NumGC)
		}
		if p.Round%*every == 0 {
			w.keep(p.Round)
		}
		if p.Round%25 == 5 {
			metrics(p.Round)
		}
	}
	stand("end", *rounds, "")
	slog.Info("training finished, leaving")
}

func main() {
	flag.Parse()
	slog.SetDefault(slog.New(slog.NewTextHandler(os.Stderr, nil)))
	host, _ := os.Hostname()
	role := map[bool]string{true: "server", false: "worker"}[rank == 0]
	slog.Info("trainps starting", "role", role, "rank", rank, "world", world, "host", host, "go", runtime.Version(), "hidden", *hidden)
	if _, err := os.ReadFile("/sys/class/thermal/thermal_zone0/temp"); err != nil {
		slog.Warn("thermal zone unreadable, throttling is not watched", "err", err)
	}
	if rank == 0 {
		serve()
	} else {
		work()
	}
}
