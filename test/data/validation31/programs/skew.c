#define _GNU_SOURCE
#include <time.h>
#include <sys/time.h>
#include <stdlib.h>
#include <unistd.h>
#include <sys/syscall.h>
/* shifts the wall clock of a process by CLOCK_SKEW_MS, leaves the monotonic clock alone */
static long long off(void) {
    static long long o; static int k;
    if (!k) { const char *s = getenv("CLOCK_SKEW_MS"); o = s ? atoll(s) * 1000000LL : 0; k = 1; }
    return o;
}
int clock_gettime(clockid_t c, struct timespec *t) {
    int r = syscall(SYS_clock_gettime, c, t);
    if (!r && (c == CLOCK_REALTIME || c == CLOCK_REALTIME_COARSE)) {
        long long n = t->tv_sec * 1000000000LL + t->tv_nsec + off();
        t->tv_sec = n / 1000000000LL; t->tv_nsec = n % 1000000000LL;
    }
    return r;
}
int gettimeofday(struct timeval *v, void *z) {
    struct timespec t; clock_gettime(CLOCK_REALTIME, &t); v->tv_sec = t.tv_sec; v->tv_usec = t.tv_nsec / 1000; return 0;
}
time_t time(time_t *p) { struct timespec t; clock_gettime(CLOCK_REALTIME, &t); if (p) *p = t.tv_sec; return t.tv_sec; }
