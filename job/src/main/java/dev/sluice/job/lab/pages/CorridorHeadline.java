package dev.sluice.job.lab.pages;

/** The whole job in short. */
final class CorridorHeadline {
    private CorridorHeadline() {}

    static String table(RawFiles raw) {
        return Column.table(
                raw.records("corridor.json"),
                Column.of("headers", "headers"),
                Column.of("before, to warm up the JIT compiler", "warmHeaders"),
                Column.of("columns of verdicts", "verdictColumns"),
                Column.of("M headers/s, start to last commit", "mpps"),
                Column.of("M headers/s, without the first quarter", "steadyMpps"),
                times("times a trivial verdict", "trivial"),
                times("times Kafka alone", "kafka"),
                times("times a job that handles packets one by one", "per-record"));
    }

    private static Column times(String head, String name) {
        return new Column(head, run -> Digits.of(run.path("timesTheRateOf").path(name)));
    }
}
