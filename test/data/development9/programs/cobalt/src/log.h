#pragma once
#include <cstdarg>
#include <cerrno>
#include <cstring>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>
#include <sys/time.h>
#include <unistd.h>
#include <execinfo.h>
#include <cxxabi.h>

namespace cobalt {
inline std::string logger = "cobalt";

inline std::string format(const char* f, va_list a) {
    char b[2048];
    vsnprintf(b, sizeof b, f, a);
    return b;
}
inline void put(const char* level, const std::string& m) {
    timeval t; gettimeofday(&t, nullptr);
    tm l; localtime_r(&t.tv_sec, &l);
    char d[64]; strftime(d, sizeof d, "%Y-%m-%d %H:%M:%S", &l);
    char p[256]; snprintf(p, sizeof p, "[%s.%03d] [%s] [%s] ", d, int(t.tv_usec / 1000), logger.c_str(), level);
    std::string s = p + m + "\n";
    if (write(2, s.data(), s.size()) < 0) { /* nowhere to tell */ }
}
#define LEVEL(name, word) inline void name(const char* f, ...) { va_list a; va_start(a, f); std::string m = format(f, a); va_end(a); put(word, m); }
LEVEL(debug, "debug") LEVEL(info, "info") LEVEL(warn, "warning") LEVEL(error, "error") LEVEL(critical, "critical")
#undef LEVEL

inline void callStack(int skip) {
    void* p[24]; int n = backtrace(p, 24); char** s = backtrace_symbols(p, n);
    std::string out = "\n[CALL STACK]\n";
    for (int i = skip; i < n; i++) {
        std::string l = s[i], name = "?"; size_t a = l.find('('), b = l.find('+', a);
        if (a != std::string::npos && b != std::string::npos && b > a + 1) {
            int st; char* d = abi::__cxa_demangle(l.substr(a + 1, b - a - 1).c_str(), nullptr, nullptr, &st);
            name = st == 0 ? d : l.substr(a + 1, b - a - 1);
            size_t e = l.find(')', b); name += " + " + l.substr(b + 1, e - b - 1);
        }
        char line[600]; snprintf(line, sizeof line, "[%p] %-60s\n", p[i], name.c_str()); out += line;
    }
    if (write(2, out.data(), out.size()) < 0) { /* nowhere to tell */ }
}
[[noreturn]] inline void abortAt(const char* func, const char* file, int line, const char* f, ...) {
    va_list a; va_start(a, f); std::string m = format(f, a); va_end(a);
    critical("Error: %s", m.c_str());
    critical("Error: Aborted from %s in %s:%d", func, file, line);
    callStack(2);
    std::abort();
}
#define ABORT(...) cobalt::abortAt(__PRETTY_FUNCTION__, __FILE__, __LINE__, __VA_ARGS__)
#define ABORT_IF(c, ...) do { if (c) ABORT(__VA_ARGS__); } while (0)

inline void mark(int rank, const char* stage, int up, const char* phase) {
    std::string f = "/run/rr/rank-" + std::to_string(rank);
    if (FILE* o = fopen(f.c_str(), "w")) { fprintf(o, "%s %d %s", stage, up, phase); fclose(o); }
}
}
