// Package coord is the coordination service of a multi-controller program: process 0 serves it, all processes are its tasks.
package coord

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"strings"
	"sync"
	"time"

	"go.uber.org/zap"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/encoding"
	"google.golang.org/grpc/keepalive"
	"google.golang.org/grpc/status"
)

// Msg is what all calls carry.
type Msg struct {
	Task        int    `json:"task"`
	Incarnation string `json:"incarnation,omitempty"`
	Build       string `json:"build,omitempty"`
	Key         string `json:"key,omitempty"`
	Value       string `json:"value,omitempty"`
	TimeoutMs   int    `json:"timeout_ms,omitempty"`
}

type codec struct{}

func (codec) Marshal(v interface{}) ([]byte, error)   { return json.Marshal(v) }
func (codec) Unmarshal(b []byte, v interface{}) error { return json.Unmarshal(b, v) }
func (codec) Name() string                            { return "json" }
func init()                                           { encoding.RegisterCodec(codec{}) }
func Name(task int) string                            { return fmt.Sprintf("/job:skua/process:%d", task) }

type task struct {
	incarnation string
	seen        time.Time
	state       string
}

type barrier struct {
	first   int
	reached map[int]bool
	done    chan struct{}
}

// Service is the state on process 0.
type Service struct {
	mu       sync.Mutex
	cond     *sync.Cond
	n        int
	build    string
	limit    time.Duration
	tasks    map[int]*task
	kv       map[string]string
	barriers map[string]*barrier
	failed   chan struct{}
	err      error
	log      *zap.Logger
}

type server interface{}

func handler(f func(*Service, context.Context, *Msg) (*Msg, error)) func(interface{}, context.Context, func(interface{}) error, grpc.UnaryServerInterceptor) (interface{}, error) {
	return func(srv interface{}, ctx context.Context, dec func(interface{}) error, _ grpc.UnaryServerInterceptor) (interface{}, error) {
		in := new(Msg)
		if err := dec(in); err != nil {
			return nil, err
		}
		return f(srv.(*Service), ctx, in)
	}
}

var desc = grpc.ServiceDesc{ServiceName: "skua.CoordinationService", HandlerType: (*server)(nil), Methods: []grpc.MethodDesc{
	{MethodName: "RegisterTask", Handler: handler((*Service).register)}, {MethodName: "Heartbeat", Handler: handler((*Service).heartbeat)},
	{MethodName: "InsertKeyValue", Handler: handler((*Service).set)}, {MethodName: "GetKeyValue", Handler: handler((*Service).get)},
	{MethodName: "Barrier", Handler: handler((*Service).wait)}, {MethodName: "ReportErrorToService", Handler: handler((*Service).report)},
	{MethodName: "PollForError", Handler: handler((*Service).poll)}, {MethodName: "ShutdownTask", Handler: handler((*Service).shutdown)}}}

// Serve starts the service.
func Serve(addr string, n int, build string, limit time.Duration, creds credentials.TransportCredentials, log *zap.Logger) error {
	l, err := net.Listen("tcp", addr)
	if err != nil {
		return err
	}
	s := &Service{n: n, build: build, limit: limit, tasks: map[int]*task{}, kv: map[string]string{}, barriers: map[string]*barrier{}, failed: make(chan struct{}), log: log}
	s.cond = sync.NewCond(&s.mu)
	g := grpc.NewServer(grpc.Creds(logged{creds, log}), grpc.KeepaliveEnforcementPolicy(keepalive.EnforcementPolicy{MinTime: time.Second, PermitWithoutStream: true}))
	g.RegisterService(&desc, s)
	go g.Serve(l)
	go s.check()
	log.Info("coordination service started", zap.String("address", addr), zap.Int("tasks", n))
	return nil
}

// logged tells of handshakes that fail.
type logged struct {
	credentials.TransportCredentials
	log *zap.Logger
}

func (l logged) ServerHandshake(c net.Conn) (net.Conn, credentials.AuthInfo, error) {
	a, b, err := l.TransportCredentials.ServerHandshake(c)
	if err != nil {
		l.log.Warn("TLS handshake failed", zap.Stringer("remote", c.RemoteAddr()), zap.Error(err))
	}
	return a, b, err
}

func (s *Service) check() {
	for range time.Tick(500 * time.Millisecond) {
		s.mu.Lock()
		var lost []string
		for k := 0; k < s.n; k++ {
			if t := s.tasks[k]; t != nil && t.state == "CONNECTED" && time.Since(t.seen) > s.limit {
				t.state = "ERROR"
				s.log.Error("task has stopped sending heartbeats", zap.String("task", Name(k)), zap.Duration("silent_for", time.Since(t.seen).Round(time.Millisecond)))
				lost = append(lost, Name(k))
			}
		}
		s.mu.Unlock()
		if lost != nil {
			s.fail(status.Errorf(codes.Unavailable, "The following tasks are unhealthy (stopped sending heartbeats): %s. Check the task logs for an earlier error, scheduling events (e.g. preemption, eviction) to debug further.", strings.Join(lost, ", ")))
		}
	}
}

func (s *Service) fail(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err == nil {
		s.err = err
		close(s.failed)
		s.cond.Broadcast()
	}
}

func (s *Service) register(ctx context.Context, m *Msg) (*Msg, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if m.Build != s.build {
		err := status.Errorf(codes.FailedPrecondition, "%s runs build %s, the service expects %s: all processes must run the same program", Name(m.Task), m.Build, s.build)
		s.log.Error("registration refused", zap.String("task", Name(m.Task)), zap.Error(err))
		return nil, err
	}
	if t := s.tasks[m.Task]; t != nil && t.incarnation != m.Incarnation {
		return nil, status.Errorf(codes.Aborted, "%s unexpectedly tried to connect with a different incarnation. It has likely restarted.", Name(m.Task))
	}
	s.tasks[m.Task] = &task{m.Incarnation, time.Now(), "CONNECTED"}
	s.log.Info("task has connected to the coordination service", zap.String("task", Name(m.Task)), zap.String("incarnation", m.Incarnation))
	s.cond.Broadcast()
	return &Msg{}, nil
}

func (s *Service) heartbeat(ctx context.Context, m *Msg) (*Msg, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	t := s.tasks[m.Task]
	if t == nil {
		return nil, status.Errorf(codes.InvalidArgument, "heartbeat of unknown task %s", Name(m.Task))
	}
	t.seen = time.Now()
	return &Msg{}, nil
}

func (s *Service) set(ctx context.Context, m *Msg) (*Msg, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.kv[m.Key] = m.Value
	s.cond.Broadcast()
	return &Msg{}, nil
}

func (s *Service) get(ctx context.Context, m *Msg) (*Msg, error) {
	end := time.Now().Add(time.Duration(m.TimeoutMs) * time.Millisecond)
	stop := time.AfterFunc(time.Until(end), s.cond.Broadcast)
	defer stop.Stop()
	s.mu.Lock()
	defer s.mu.Unlock()
	for {
		if v, ok := s.kv[m.Key]; ok {
			return &Msg{Value: v}, nil
		}
		if s.err != nil {
			return nil, s.err
		}
		if time.Now().After(end) {
			return nil, status.Errorf(codes.DeadlineExceeded, "GetKeyValue() timed out with key: %s and duration: %s", m.Key, time.Duration(m.TimeoutMs)*time.Millisecond)
		}
		s.cond.Wait()
	}
}

func (s *Service) wait(ctx context.Context, m *Msg) (*Msg, error) {
	s.mu.Lock()
	b := s.barriers[m.Key]
	if b == nil {
		b = &barrier{m.Task, map[int]bool{}, make(chan struct{})}
		s.barriers[m.Key] = b
	}
	b.reached[m.Task] = true
	if len(b.reached) == s.n {
		close(b.done)
	}
	s.mu.Unlock()
	select {
	case <-b.done:
		return &Msg{}, nil
	case <-s.failed:
		return nil, s.err
	case <-time.After(time.Duration(m.TimeoutMs) * time.Millisecond):
	}
	s.mu.Lock()
	var late []string
	for k := 0; k < s.n; k++ {
		if !b.reached[k] {
			late = append(late, Name(k))
		}
	}
	s.mu.Unlock()
	if late == nil {
		return &Msg{}, nil
	}
	err := status.Errorf(codes.DeadlineExceeded, "Barrier timed out. Id: %s. This usually happens because a task triggered the barrier too early or too slowly. # of tasks that reached the barrier: %d/%d. The first task at the barrier: %s. Some timed out task names: %s", m.Key, s.n-len(late), s.n, Name(b.first), strings.Join(late, " "))
	return nil, err
}

func (s *Service) report(ctx context.Context, m *Msg) (*Msg, error) {
	s.log.Error("task reported an error", zap.String("task", Name(m.Task)), zap.String("error", m.Value))
	s.fail(status.Errorf(codes.Internal, "%s reported: %s", Name(m.Task), m.Value))
	return &Msg{}, nil
}

func (s *Service) poll(ctx context.Context, m *Msg) (*Msg, error) {
	select {
	case <-s.failed:
		return nil, s.err
	case <-ctx.Done():
		return nil, status.FromContextError(ctx.Err()).Err()
	}
}

func (s *Service) shutdown(ctx context.Context, m *Msg) (*Msg, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if t := s.tasks[m.Task]; t != nil {
		t.state = "DISCONNECTED"
	}
	s.log.Info("task has disconnected from the coordination service", zap.String("task", Name(m.Task)))
	return &Msg{}, nil
}

// Agent is a task's side.
type Agent struct {
	Task int
	N    int
	conn *grpc.ClientConn
	log  *zap.Logger
	done chan struct{}
}

// Credentials reads certificate, key and authority of this node.
func Credentials(dir string) (credentials.TransportCredentials, error) {
	c, err := tls.LoadX509KeyPair(dir+"/tls.crt", dir+"/tls.key")
	if err != nil {
		return nil, fmt.Errorf("loading key pair: %w", err)
	}
	pem, err := os.ReadFile(dir + "/ca.crt")
	if err != nil {
		return nil, err
	}
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(pem)
	return credentials.NewTLS(&tls.Config{Certificates: []tls.Certificate{c}, RootCAs: pool, ClientCAs: pool, ClientAuth: tls.RequireAndVerifyClientCert, ServerName: "coordinator", MaxVersion: tls.VersionTLS12}), nil
}

func (a *Agent) call(ctx context.Context, method string, m *Msg) (*Msg, error) {
	m.Task = a.Task
	out := new(Msg)
	err := a.conn.Invoke(ctx, "/skua.CoordinationService/"+method, m, out, grpc.CallContentSubtype("json"))
	return out, err
}

// Connect registers the task; it tries until the time is over.
func Connect(addr string, id, n int, build, incarnation string, timeout time.Duration, creds credentials.TransportCredentials, log *zap.Logger) (*Agent, error) {
	conn, err := grpc.Dial(addr, grpc.WithTransportCredentials(creds), grpc.WithKeepaliveParams(keepalive.ClientParameters{Time: 10 * time.Second, Timeout: 6 * time.Second, PermitWithoutStream: true}))
	if err != nil {
		return nil, err
	}
	a := &Agent{id, n, conn, log, make(chan struct{})}
	log.Info("connecting to the coordination service", zap.String("address", addr))
	end := time.Now().Add(timeout)
	for k := 0; ; k++ {
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		_, err = a.call(ctx, "RegisterTask", &Msg{Build: build, Incarnation: incarnation})
		cancel()
		if err == nil {
			break
		}
		if c := status.Code(err); (c != codes.Unavailable && c != codes.DeadlineExceeded) || time.Now().After(end) {
			return nil, err
		}
		if k > 3 && k%6 == 0 {
			log.Warn("coordination service not ready, retrying", zap.Int("attempt", k), zap.Error(err))
		}
		time.Sleep(500 * time.Millisecond)
	}
	go a.beat()
	go a.watch()
	return a, nil
}

func (a *Agent) beat() {
	bad := 0
	for {
		select {
		case <-a.done:
			return
		case <-time.After(time.Second):
		}
		ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
		_, err := a.call(ctx, "Heartbeat", &Msg{})
		cancel()
		if err == nil {
			bad = 0
			continue
		}
		bad++
		a.log.Warn("failed to send heartbeat to the coordination service", zap.Int("missed", bad), zap.Error(err))
		if bad >= 5 {
			a.log.Fatal("Terminating process because the coordination service cannot be reached. The leader task (process 0) has likely failed, or its node.", zap.Error(err))
		}
	}
}

func (a *Agent) watch() {
	for {
		_, err := a.call(context.Background(), "PollForError", &Msg{})
		select {
		case <-a.done:
			return
		default:
		}
		if status.Code(err) == codes.Unavailable && !strings.Contains(err.Error(), "unhealthy") || status.Code(err) == codes.Canceled || err == nil {
			time.Sleep(time.Second)
			continue
		}
		a.log.Fatal("Terminating process because the coordination service detected fatal errors. This most likely indicates that another task died; see the other task logs for more details.", zap.Error(err))
	}
}

func (a *Agent) within(d time.Duration) (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.Background(), d+3*time.Second)
}

func (a *Agent) Set(key, value string) error {
	ctx, cancel := a.within(2 * time.Second)
	defer cancel()
	_, err := a.call(ctx, "InsertKeyValue", &Msg{Key: key, Value: value})
	return err
}

func (a *Agent) Get(key string, d time.Duration) (string, error) {
	ctx, cancel := a.within(d)
	defer cancel()
	m, err := a.call(ctx, "GetKeyValue", &Msg{Key: key, TimeoutMs: int(d.Milliseconds())})
	if err != nil {
		return "", err
	}
	return m.Value, nil
}

func (a *Agent) Barrier(id string, d time.Duration) error {
	ctx, cancel := a.within(d)
	defer cancel()
	_, err := a.call(ctx, "Barrier", &Msg{Key: id, TimeoutMs: int(d.Milliseconds())})
	return err
}

// Report tells the service that this task fails.
func (a *Agent) Report(e error) {
	ctx, cancel := a.within(-1 * time.Second)
	defer cancel()
	if _, err := a.call(ctx, "ReportErrorToService", &Msg{Value: e.Error()}); err != nil {
		a.log.Warn("could not report the error to the coordination service", zap.Error(err))
	}
}

func (a *Agent) Shutdown() error {
	if err := a.Barrier("shutdown", 20*time.Second); err != nil {
		return err
	}
	close(a.done)
	ctx, cancel := a.within(time.Second)
	defer cancel()
	a.call(ctx, "ShutdownTask", &Msg{})
	if a.Task == 0 {
		time.Sleep(700 * time.Millisecond)
	}
	return nil
}
