// Package train is the loop that every process runs.
package train

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"math"
	"net/http"
	"os"
	"time"
	"unsafe"

	"go.uber.org/zap"
	"skua/checkpoint"
	"skua/coord"
	"skua/mesh"
	"skua/model"
	"skua/records"
)

type Config struct {
	RunName         string  `json:"run_name"`
	Steps           int     `json:"steps"`
	PerDeviceBatch  int     `json:"per_device_batch_size"`
	LearningRate    float64 `json:"learning_rate"`
	WarmupSteps     int     `json:"warmup_steps"`
	Clip            float64 `json:"gradient_clipping_threshold"`
	Seed            int64   `json:"seed"`
	MeshShape       [2]int  `json:"mesh_shape"`
	EmbDim          int     `json:"emb_dim"`
	MlpDim          int     `json:"mlp_dim"`
	DataDir         string  `json:"data_dir"`
	Manifest        string  `json:"dataset_manifest"`
	CheckpointDir   string  `json:"checkpoint_dir"`
	LocalDir        string  `json:"local_checkpoint_dir"`
	LoadDir         string  `json:"load_parameters_path"`
	SaveEvery       int     `json:"checkpoint_period"`
	EvalEvery       int     `json:"eval_interval"`
	EvalSteps       int     `json:"eval_steps"`
	FingerprintEach int     `json:"replica_check_period"`
	StatsEvery      int     `json:"stats_period"`
	CollectiveSecs  float64 `json:"collective_timeout_seconds"`
	HeartbeatSecs   float64 `json:"heartbeat_timeout_seconds"`
	BarrierSecs     float64 `json:"barrier_timeout_seconds"`
	CacheMB         int     `json:"decode_cache_mb"`
	EvalOnly        bool    `json:"eval_only"`
	Pushgateway     string  `json:"pushgateway"`
}

// Progress is for whoever watches the run from outside.
func Progress(id int, stage string, step int, phase string) {
	os.WriteFile(fmt.Sprintf("/run/rr/rank-%d", id), []byte(fmt.Sprintf("%s %d %s %d", stage, step, phase, os.Getpid())), 0o644)
}

type batch struct {
	tokens [][]uint16
	err    error
}

type Trainer struct {
	c     *Config
	a     *coord.Agent
	m     *mesh.Mesh
	net   *model.Model
	log   *zap.Logger
	step  int
	ckpt  *checkpoint.Manager
	valid *records.Source
	kept  [][]byte
	evals map[int]float64
}

func push(url string, step int, loss float64, log *zap.Logger) {
	if url == "" {
		return
	}
	b, _ := json.Marshal(map[string]interface{}{"step": step, "loss": loss})
	c := http.Client{Timeout: 3 * time.Second}
	r, err := c.Post(url, "application/json", bytes.NewReader(b))
	if err == nil {
		r.Body.Close()
		if r.StatusCode < 300 {
			return
		}
		err = errors.New(r.Status)
	}
	log.Warn("metrics push failed, dropping sample", zap.String("url", url), zap.Error(err))
}

func Run(c *Config, a *coord.Agent, host string, log *zap.Logger) error {
	info, err := records.Manifest(c.Manifest)
	if err != nil {
		return err
	}
	if p := c.MeshShape[0] * c.MeshShape[1]; p != a.N {
		return fmt.Errorf("mesh_shape %v needs %d processes, but there are %d", c.MeshShape, p, a.N)
	}
	Progress(a.Task, "initialization", 0, "mesh")
	m, err := mesh.New(a, c.MeshShape, host, time.Duration(c.CollectiveSecs*1e9), log)
	if err != nil {
		return fmt.Errorf("building mesh: %w", err)
	}
	Progress(a.Task, "model_loading", 0, "init")
	t := &Trainer{c: c, a: a, m: m, net: model.New(info.Tokens, c.EmbDim, c.MlpDim, c.Seed), log: log}
	os.WriteFile(fmt.Sprintf("/run/rr/addr-%d", a.Task), []byte(fmt.Sprintf("%d %d -", uintptr(unsafe.Pointer(&t.net.Params[0])), 4*len(t.net.Params))), 0o644)
	if a.Task == 0 {
		log.Info("number of model params", zap.Int("params", len(t.net.Params)), zap.String("dataset", info.Name))
	}
	t.ckpt = &checkpoint.Manager{Dir: c.CheckpointDir, Local: c.LocalDir, Timeout: time.Duration(c.BarrierSecs * 1e9), Agent: a, Log: log}
	if c.LoadDir != "" {
		if _, err := t.ckpt.Restore(c.LoadDir, t.net.Params); err != nil {
			return err
		}
	}
	if t.step, err = t.ckpt.Restore(c.CheckpointDir, t.net.Params); err != nil {
		return err
	}
	Progress(a.Task, "data_loading", 0, "open")
	src, err := records.Open(c.DataDir, "train", c.Seed+int64(a.Task))
	if err != nil {
		return fmt.Errorf("opening training data: %w", err)
	}
	if t.valid, err = records.Open(c.DataDir, "valid", c.Seed); err != nil {
		return fmt.Errorf("opening validation data: %w", err)
	}
	log.Info("input pipeline ready", zap.Int("records", src.Len()), zap.String("data_dir", c.DataDir))
	if c.EvalOnly {
		for t.step < c.Steps {
			t.step++
			Progress(a.Task, "training", t.step, "eval")
			if err := t.eval(); err != nil {
				return err
			}
		}
		return nil
	}
	next := make(chan batch, 3)
	go t.produce(src, next)
	return t.loop(next)
}

func (t *Trainer) produce(src *records.Source, out chan<- batch) {
	for i := t.step * t.c.PerDeviceBatch; ; {
		var b batch
		for k := 0; k < t.c.PerDeviceBatch && b.err == nil; k++ {
			var r []uint16
			r, b.err = src.Read(i)
			b.tokens = append(b.tokens, r)
			i++
		}
		out <- b
	}
}

func (t *Trainer) rate() float32 {
	if t.step < t.c.WarmupSteps {
		return float32(t.c.LearningRate * float64(t.step+1) / float64(t.c.WarmupSteps))
	}
	x := float64(t.step-t.c.WarmupSteps) / math.Max(1, float64(t.c.Steps-t.c.WarmupSteps))
	return float32(t.c.LearningRate * (0.1 + 0.45*(1+math.Cos(math.Pi*math.Min(1, x)))))
}

func (t *Trainer) loop(next <-chan batch) error {
	c, id := t.c, t.a.Task
	n := len(t.net.Params)
	mom := make([]float32, n)
	var sum [3]time.Duration
	var local float64
	for t.step < c.Steps {
		start := time.Now()
		it := t.step + 1
		Progress(id, "training", it, "data")
		b := <-next
		if b.err != nil {
			return fmt.Errorf("input pipeline: %w", b.err)
		}
		if c.CacheMB > 0 {
			x := make([]byte, c.CacheMB<<20)
			for i := 0; i < len(x); i += 4096 {
				x[i] = 1
			}
			t.kept = append(t.kept, x)
		}
		t1 := time.Now()
		Progress(id, "training", it, "compute")
		g := make([]float32, n+1)
		loss := 0.0
		for _, s := range b.tokens {
			loss += t.net.Loss(s, g[:n]) / float64(len(b.tokens))
		}
		if math.IsNaN(loss) || math.IsInf(loss, 0) {
			return fmt.Errorf("non-finite loss (%v) in step %d", loss, it)
		}
		local += loss
		t2 := time.Now()
		Progress(id, "training", it, "collective")
		scale := 1 / float32(62*len(b.tokens)*t.a.N)
		for i := range g[:n] {
			g[i] *= scale
		}
		g[n] = float32(loss) / float32(t.a.N)
		if err := t.m.AllReduce(g); err != nil {
			return err
		}
		t3 := time.Now()
		Progress(id, "training", it, "update")
		sq := 0.0
		for _, v := range g[:n] {
			sq += float64(v) * float64(v)
		}
		norm := math.Sqrt(sq)
		lr := t.rate()
		if c.Clip > 0 && norm > c.Clip {
			lr *= float32(c.Clip / norm)
		}
		for i := range mom {
			mom[i] = 0.9*mom[i] + g[i]
			t.net.Params[i] -= lr * mom[i]
		}
		t.step = it
		d := time.Since(start)
		sum[0] += t1.Sub(start)
		sum[1] += t2.Sub(t1)
		sum[2] += t3.Sub(t2)
		if id == 0 {
			t.log.Info("completed step", zap.Int("step", it), zap.Float64("seconds", math.Round(d.Seconds()*1e3)/1e3), zap.Int("tokens_per_s_per_device", int(float64(64*c.PerDeviceBatch)/d.Seconds())), zap.Float32("loss", g[n]), zap.Float64("grad_norm", math.Round(norm*1e4)/1e4), zap.Float32("lr", t.rate()))
			push(c.Pushgateway, it, float64(g[n]), t.log)
		}
		if c.StatsEvery > 0 && it%c.StatsEvery == 0 {
			k := int64(c.StatsEvery)
			t.log.Info("step statistics", append([]zap.Field{zap.Int("step", it), zap.Float64("local_loss", math.Round(local/float64(k)*1e4)/1e4), zap.Int64("input_ms", sum[0].Milliseconds()/k), zap.Int64("compute_ms", sum[1].Milliseconds()/k), zap.Int64("collective_ms", sum[2].Milliseconds()/k)}, t.m.Waits()...)...)
			sum, local = [3]time.Duration{}, 0
		}
		if c.FingerprintEach > 0 && it%c.FingerprintEach == 0 {
			if err := t.fingerprint(it); err != nil {
				return err
			}
		}
		if c.EvalEvery > 0 && it%c.EvalEvery == 0 {
			if err := t.eval(); err != nil {
				return err
			}
		}
		if c.SaveEvery > 0 && it%c.SaveEvery == 0 {
			Progress(id, "checkpointing", it, "begin")
			if err := t.ckpt.Save(it, t.net.Params, func(p string) { Progress(id, "checkpointing", it, p) }); err != nil {
				return fmt.Errorf("saving checkpoint at step %d: %w", it, err)
			}
		}
	}
	return nil
}

func (t *Trainer) eval() error {
	id := t.a.Task
	Progress(id, "training", t.step, "eval")
	v := make([]float32, 8)
	for k := 0; k < t.c.EvalSteps; k++ {
		s, err := t.valid.Read((t.step*t.c.EvalSteps+k)*t.a.N + id)
		if err != nil {
			return fmt.Errorf("evaluation: %w", err)
		}
		v[0] += float32(t.net.Loss(s, nil)) / float32(t.c.EvalSteps*t.a.N)
	}
	if err := t.m.AllReduce(v); err != nil {
		return fmt.Errorf("evaluation: %w", err)
	}
	if id == 0 {
		t.log.Info("evaluation finished", zap.Int("step", t.step), zap.Float32("eval_loss", v[0]), zap.Int("eval_steps", t.c.EvalSteps))
	}
	return nil
}

// fingerprint compares the parameters of all replicas; the majority is right.
func (t *Trainer) fingerprint(step int) error {
	Progress(t.a.Task, "training", step, "compare")
	h := fnv.New64a()
	b := unsafe.Slice((*byte)(unsafe.Pointer(&t.net.Params[0])), 4*len(t.net.Params))
	h.Write(b)
	mine := fmt.Sprintf("%016x", h.Sum64())
	d := time.Duration(t.c.BarrierSecs * 1e9)
	if err := t.a.Set(fmt.Sprintf("fingerprint/%d/%d", step, t.a.Task), mine); err != nil {
		return fmt.Errorf("replica check: %w", err)
	}
	if t.a.Task == 0 {
		votes, all := map[string]int{}, make([]string, t.a.N)
		for k := range all {
			v, err := t.a.Get(fmt.Sprintf("fingerprint/%d/%d", step, k), d)
			if err != nil {
				return fmt.Errorf("replica check: %w", err)
			}
			all[k] = v
			votes[v]++
		}
		top := all[0]
		for v, n := range votes {
			if n > votes[top] {
				top = v
			}
		}
		for k, v := range all {
			if v != top {
				return fmt.Errorf("replica check at step %d: parameters of %s have fingerprint %s, those of %d of %d processes %s: silent data corruption?", step, coord.Name(k), v, votes[top], t.a.N, top)
			}
		}
		t.log.Debug("replicas agree", zap.Int("step", step), zap.String("fingerprint", top))
	}
	return nil
}
