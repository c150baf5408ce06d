"""Headers of lines as well-known loggers write them, for restyle.py.

A style is a function from what a header says to the head of the line and the message: style(fact) -> text, which may have line
ends in it where a logger's header is a line of its own. Programs' styles are in APP, those of a system's log in SYSTEM.
"""
import datetime
import json

LEVELS = ["trace", "debug", "info", "warning", "error", "fatal"]
MONTHS = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split()
DAYS = "Mon Tue Wed Thu Fri Sat Sun".split()


class Fact:
    """What a header says: time (microseconds since 1970, UTC), level (of LEVELS, or None), name of the logger or process, its
    number, host; message is the first line behind the header; offset: minutes that the place is ahead of UTC, for styles that
    write a zone; the others write UTC."""

    def __init__(self, time, level, name, message, host="localhost", number=17, offset=0):
        self.level, self.name, self.message, self.host, self.number, self.offset = level, name, message, host, number, offset
        self.micros = time
        self.when = datetime.datetime(1970, 1, 1) + datetime.timedelta(microseconds=time)

    def format(self, pattern, digits=None, point=".", offset=0):
        """The time, with a fraction of so many digits."""
        text = (self.when + datetime.timedelta(minutes=offset)).strftime(pattern)
        return text if digits is None else text + point + ("%06d000" % self.when.microsecond)[:digits]

    def local(self, pattern, digits=None, colon=True, utc="+00:00", space=""):
        """The local time and its zone."""
        return self.format(pattern, digits, offset=self.offset) + space + self.zone(colon, utc)

    def zone(self, colon=True, utc="+00:00"):
        """The zone as an offset, or what is written in UTC."""
        if self.offset == 0:
            return utc
        hours, minutes = divmod(abs(self.offset), 60)
        return "%s%02d%s%02d" % ("-" if self.offset < 0 else "+", hours, ":" if colon else "", minutes)

    def iso(self, digits=3, zone="Z"):
        return self.local("%Y-%m-%dT%H:%M:%S", digits, utc=zone)

    def plain(self, digits=3, point=","):
        return self.format("%Y-%m-%d %H:%M:%S", digits, point)

    def word(self, words):
        return words.split()[LEVELS.index(self.level)]

    def upper(self):
        return self.word("DEBUG DEBUG INFO WARNING ERROR CRITICAL")

    def java(self):
        return self.word("TRACE DEBUG INFO WARN ERROR FATAL")

    def lower(self):
        return self.word("trace debug info warning error critical")

    def three(self):
        return self.word("TRC DBG INF WRN ERR FTL")

    def letter(self):
        return self.word("I I I W E F")

    def json(self, **first):
        first["msg"] = self.message
        return json.dumps({k: v for k, v in first.items() if v is not None}, separators=(",", ":"), ensure_ascii=False)

    def quoted(self):
        return json.dumps(self.message, ensure_ascii=False)


def slug(fact):
    return "".join(c if c.isalnum() or c in "._" else "_" for c in fact.name)


def package(fact):
    return "com.example." + slug(fact).strip("._").rsplit(".", 1)[-1].capitalize()


def module(fact):
    return slug(fact).replace(".", "::")


# Each: the time as the style writes it, for lines whose header says no level; and the whole header.
def app(time, whole):
    return lambda f: time(f) + " " + f.message if f.level is None else whole(f)


APP = {
    "python_dashes": app(lambda f: f.plain(), lambda f: f"{f.plain()} - {slug(f)} - {f.upper()} - {f.message}"),
    "python_spaces": app(lambda f: f.plain(), lambda f: f"{f.plain()} {f.upper()} {slug(f)} {f.message}"),
    "python_flask": app(lambda f: f"[{f.plain()}]", lambda f: f"[{f.plain()}] {f.upper()} in {slug(f)}: {f.message}"),
    "python_bracket_name": app(lambda f: f.plain(),
                               lambda f: f"{f.plain()} {f.upper():8} [{slug(f)}:{f.number}] {f.message}"),
    "python_django": app(lambda f: f.plain(),
                         lambda f: f"{f.upper()} {f.plain()} {slug(f)} {f.number} 140312745 {f.message}"),
    "python_docs_12h": app(lambda f: f.format("%m/%d/%Y %I:%M:%S %p"),
                           lambda f: f"{f.format('%m/%d/%Y %I:%M:%S %p')} {f.upper()}:{slug(f)}:{f.message}"),
    "python_thread": app(lambda f: f.plain(),
                         lambda f: f"{f.plain()} [{f.number}] [MainThread] {f.upper()} {slug(f)}: {f.message}"),
    "python_pipes": app(lambda f: f.plain(), lambda f: f"{f.plain()} | {f.upper()} | {slug(f)} | {f.message}"),
    "celery": app(lambda f: f"[{f.plain()}]", lambda f: f"[{f.plain()}: {f.upper()}/MainProcess] {f.message}"),
    "gunicorn": app(lambda f: f"[{f.local('%Y-%m-%d %H:%M:%S', None, False, '+0000', ' ')}]",
                    lambda f: f"[{f.local('%Y-%m-%d %H:%M:%S', None, False, '+0000', ' ')}] [{f.number}] [{f.upper()}] "
                    f"{f.message}"),
    "airflow": app(lambda f: f"[{f.local('%Y-%m-%dT%H:%M:%S', 3, False, '+0000')}]",
                   lambda f: f"[{f.local('%Y-%m-%dT%H:%M:%S', 3, False, '+0000')}] "
                   f"{{{slug(f)}.py:{f.number}}} {f.upper()} - {f.message}"),
    "loguru": app(lambda f: f.plain(3, "."),
                  lambda f: f"{f.plain(3, '.')} | {f.upper():8} | {slug(f)}:run:{f.number} - {f.message}"),
    "structlog_console": app(lambda f: f.iso(6), lambda f: f"{f.iso(6)} [{f.lower():9}] {f.message:30} [{slug(f)}]"),
    "structlog_keys": lambda f: (f"timestamp='{f.iso(6)}' " + (f"level='{f.lower()}' " if f.level else "") +
                                      f"logger='{slug(f)}' event={f.quoted()}"),
    "glog": app(lambda f: f"I{f.format('%m%d %H:%M:%S', 6)} {f.number} {slug(f)}.cc:120]",
                lambda f: f"{f.letter()}{f.format('%m%d %H:%M:%S', 6)} {f.number} {slug(f)}.cc:120] {f.message}"),
    "klog": app(lambda f: f"I{f.format('%m%d %H:%M:%S', 6)} {f.number:7} {slug(f)}.go:88]",
                lambda f: f"{f.letter()}{f.format('%m%d %H:%M:%S', 6)} {f.number:7} {slug(f)}.go:88] {f.message}"),
    "log4j": app(lambda f: f.plain(), lambda f: f"{f.plain()} {f.java():5} [main] {package(f)} - {f.message}"),
    "log4j_kafka": app(lambda f: f"[{f.plain()}]", lambda f: f"[{f.plain()}] {f.java()} {f.message} ({package(f)})"),
    "log4j_lower": app(lambda f: f.plain(), lambda f: f"{f.plain()} {f.java():<5} {package(f)}:{f.number} - {f.message}"),
    "logback": app(lambda f: f.format("%H:%M:%S", 3),
                   lambda f: f"{f.format('%H:%M:%S', 3)} [main] {f.java():5} {package(f)} -- {f.message}"),
    "java_util": lambda f: f"{f.format('%b %d, %Y %I:%M:%S %p')} {package(f)} run\n" +
                      f"{f.word('FINER FINE INFO WARNING SEVERE SEVERE') if f.level else 'INFO'}: {f.message}",
    "elastic": app(lambda f: f"[{f.format('%Y-%m-%dT%H:%M:%S', 3, ',')}]",
                   lambda f: f"[{f.format('%Y-%m-%dT%H:%M:%S', 3, ',')}][{f.java():5}][{package(f):25}] [{f.host}] "
                   f"{f.message}"),
    "zap_console": app(lambda f: f.iso(3), lambda f: f"{f.iso(3)}\t{f.java()}\t{slug(f)}\trun/main.go:88\t{f.message}"),
    "zap_json": lambda f: f.json(level=f.level and f.lower(), ts=f.micros / 1e6, logger=slug(f),
                                      caller="run/main.go:88"),
    "logrus": lambda f: f"time=\"{f.iso(None)}\" " + (f"level={f.lower()} " if f.level else "") + f"msg={f.quoted()}",
    "zerolog_console": app(lambda f: f.iso(None), lambda f: f"{f.iso(None)} {f.three()} {slug(f)}.go:88 > {f.message}"),
    "zerolog_json": lambda f: f.json(level=f.level and f.lower(), time=f.micros // 1000000, component=slug(f)),
    "slog_text": lambda f: f"time={f.iso(3)} " + (f"level={f.word('DEBUG DEBUG INFO WARN ERROR ERROR')} " if f.level
                                                       else "") + f"msg={f.quoted()}",
    "slog_default": app(lambda f: f.format("%Y/%m/%d %H:%M:%S"),
                        lambda f: f"{f.format('%Y/%m/%d %H:%M:%S')} {f.word('DEBUG DEBUG INFO WARN ERROR ERROR')} {f.message}"),
    "go_log": lambda f: f"{f.format('%Y/%m/%d %H:%M:%S', 6)} {slug(f)}.go:88: {f.message}",
    "rust_tracing": app(lambda f: f.iso(6), lambda f: f"{f.iso(6)} {f.java():>5} {module(f)}: {f.message}"),
    "env_logger": app(lambda f: f"[{f.iso(None)}]", lambda f: f"[{f.iso(None)} {f.java():5} {module(f)}] {f.message}"),
    "rust_fern": app(lambda f: f.format("[%Y-%m-%d][%H:%M:%S]"),
                     lambda f: f"{f.format('[%Y-%m-%d][%H:%M:%S]')}[{module(f)}][{f.java()}] {f.message}"),
    "ruby": app(lambda f: f"[{f.format('%Y-%m-%dT%H:%M:%S', 6)} #{f.number}]",
                lambda f: f"{f.word('D D I W E F')}, [{f.format('%Y-%m-%dT%H:%M:%S', 6)} #{f.number}] "
                f"{f.word('DEBUG DEBUG INFO WARN ERROR FATAL'):>5} -- {slug(f)}: {f.message}"),
    "pino": lambda f: f.json(level=f.level and (LEVELS.index(f.level) + 1) * 10, time=f.micros // 1000, pid=f.number,
                                  hostname=f.host, name=slug(f)),
    "bunyan": lambda f: json.dumps(dict(name=slug(f), hostname=f.host, pid=f.number,
                                             level=(LEVELS.index(f.level or "info") + 1) * 10, msg=f.message,
                                             time=f.iso(3), v=0), separators=(",", ":"), ensure_ascii=False),
    "winston": app(lambda f: f.iso(3), lambda f: f"{f.iso(3)} {f.word('silly debug info warn error error')}: {f.message}"),
    "spdlog": app(lambda f: f"[{f.plain(3, '.')}]", lambda f: f"[{f.plain(3, '.')}] [{slug(f)}] [{f.lower()}] {f.message}"),
    "boost_log": app(lambda f: f"[{f.plain(6, '.')}] [0x00007f3a5c0de740]",
                     lambda f: f"[{f.plain(6, '.')}] [0x00007f3a5c0de740] [{f.word('trace debug info warning error fatal')}]"
                     f"{'':4}{f.message}"),
    "plog": app(lambda f: f.plain(3, "."),
                lambda f: f"{f.plain(3, '.')} {f.word('VERB DEBUG INFO WARN ERROR FATAL'):5} [{f.number}] [run@120] "
                f"{f.message}"),
    "quill": app(lambda f: f.format("%H:%M:%S", 9),
                 lambda f: f"{f.format('%H:%M:%S', 9)} [{f.number}] {slug(f) + '.cpp:120':28} LOG_{f.upper():9} root         "
                 f"{f.message}"),
    "serilog_console": app(lambda f: f.format("[%H:%M:%S]"), lambda f: f"[{f.format('%H:%M:%S')} {f.three()}] {f.message}"),
    "serilog_file": app(lambda f: f"{f.local('%Y-%m-%d %H:%M:%S', 3, space=' ')}",
                        lambda f: f"{f.local('%Y-%m-%d %H:%M:%S', 3, space=' ')} [{f.three()}] {f.message}"),
    "nlog": app(lambda f: f.plain(4, "."), lambda f: f"{f.plain(4, '.')}|{f.java()}|{package(f)}|{f.message}"),
    "lager": app(lambda f: f.plain(3, "."),
                 lambda f: f"{f.plain(3, '.')} [{f.lower()}] <0.{f.number}.0>@{slug(f)}:run:120 {f.message}"),
    "elixir": app(lambda f: f.format("%H:%M:%S", 3), lambda f: f"{f.format('%H:%M:%S', 3)} [{f.lower()}] {f.message}"),
    "postgres": app(lambda f: f"{f.plain(3, '.')} UTC [{f.number}]",
                    lambda f: f"{f.plain(3, '.')} UTC [{f.number}] "
                    f"{f.word('DEBUG DEBUG LOG WARNING ERROR FATAL')}:  {f.message}"),
    "redis": lambda f: f"{f.number}:M {f.format('%d %b %Y %H:%M:%S', 3)} " +
                  f"{f.word('. . * # # #') if f.level else '*'} {f.message}",
    "r_futile": app(lambda f: f.format("[%Y-%m-%d %H:%M:%S]"),
                    lambda f: f"{f.java()} [{f.format('%Y-%m-%d %H:%M:%S')}] {f.message}"),
    "perl_log4perl": app(lambda f: f.format("%Y/%m/%d %H:%M:%S"),
                         lambda f: f"{f.format('%Y/%m/%d %H:%M:%S')} {f.java()}> {slug(f)}.pl:120 main::run - {f.message}"),
    "nslog": lambda f: f"{f.local('%Y-%m-%d %H:%M:%S', 6, False, '+0000')} {slug(f)}[{f.number}:4711] {f.message}",
    "epoch_seconds": app(lambda f: "%.3f" % (f.micros / 1e6), lambda f: f"{f.micros / 1e6:.3f} {f.upper()} {f.message}"),
    "epoch_millis": app(lambda f: str(f.micros // 1000), lambda f: f"{f.micros // 1000} {f.upper()} {slug(f)} {f.message}"),
    "month_name": app(lambda f: f.format("%d %b %Y %H:%M:%S", 3),
                      lambda f: f"{f.format('%d %b %Y %H:%M:%S', 3)} {f.upper()} {f.message}"),
    "rfc_2822": app(lambda f: f"{f.local('%a, %d %b %Y %H:%M:%S', None, False, '+0000', ' ')}",
                    lambda f: f"{f.local('%a, %d %b %Y %H:%M:%S', None, False, '+0000', ' ')} {f.upper()} {f.message}"),
    "month_first": app(lambda f: f.format("%b %d, %Y %H:%M:%S", 3),
                       lambda f: f"{f.format('%b %d, %Y %H:%M:%S', 3)} {f.upper()}: {f.message}"),
    "compact": app(lambda f: f.format("%Y%m%dT%H%M%S", 3) + "Z",
                   lambda f: f"{f.format('%Y%m%dT%H%M%S', 3)}Z {f.java()} {slug(f)}: {f.message}"),
    "month_day": app(lambda f: f.format("%m-%d %H:%M:%S", 3),
                     lambda f: f"{f.format('%m-%d %H:%M:%S', 3)} {f.upper()} {slug(f)}: {f.message}"),
    "clock_only": app(lambda f: f.format("%H:%M:%S"), lambda f: f"{f.format('%H:%M:%S')} {f.upper():8} {f.message}"),
    "clock_12h": app(lambda f: f.format("%I:%M:%S %p"), lambda f: f"{f.format('%I:%M:%S %p')} {f.upper()} {f.message}"),
}


def marked(fact):
    """A level between < and >, as the system's own header had it."""
    return f"<{fact.word('debug debug info warn err crit')}> {fact.message}" if fact.level else fact.message


def severity(fact):
    return 24 + (int(fact.word("7 7 6 4 3 2")) if fact.level else 6)


SYSTEM = {
    "rfc3164": lambda f: f"{f.when.strftime('%b')} {f.when.day:2} {f.format('%H:%M:%S')} {f.host} {f.name}[{f.number}]: "
    f"{marked(f)}",
    "rfc3164_severity": lambda f: f"<{severity(f)}>{f.when.strftime('%b')} {f.when.day:2} {f.format('%H:%M:%S')} {f.host} "
    f"{f.name}[{f.number}]: {f.message}",
    "rfc5424": lambda f: f"<{severity(f)}>1 {f.iso(6)} {f.host} {f.name} {f.number} - - {f.message}",
    "journal_iso": lambda f: f"{f.local('%Y-%m-%dT%H:%M:%S', None, False, '+0000')} {f.host} {f.name}[{f.number}]: "
    f"{marked(f)}",
    "journal_iso_precise": lambda f: f"{f.iso(6, '+00:00')} {f.host} {f.name}[{f.number}]: {marked(f)}",
    "journal_full": lambda f: f"{f.format('%a %Y-%m-%d %H:%M:%S')} UTC {f.host} {f.name}[{f.number}]: "
    f"{marked(f)}",
    "journal_unix": lambda f: f"{f.micros / 1e6:.6f} {f.host} {f.name}[{f.number}]: {marked(f)}",
    "syslog_year": lambda f: f"{f.when.strftime('%b')} {f.when.day:2} {f.format('%Y %H:%M:%S')} {f.host} {f.name}[{f.number}]: "
    f"{marked(f)}",
    "syslog_facility": lambda f: f"{f.iso(3)} {f.host} "
    f"daemon.{f.word('debug debug info warning err crit') if f.level else 'info'} {f.name}[{f.number}]: {f.message}",
    "journal_json": lambda f: json.dumps(dict(__REALTIME_TIMESTAMP=str(f.micros), PRIORITY=str(severity(f) % 8),
                                              SYSLOG_IDENTIFIER=f.name, _PID=str(f.number), _HOSTNAME=f.host,
                                              MESSAGE=f.message), ensure_ascii=False),
}
