package dev.sluice.job.lab.pages;

/** The whole job in short. */
final class CorridorHeadline {
    private CorridorHeadline() {}

    static String table(RawFiles raw) {
        return Column.table(
                raw.records("corridor.json"),
                Column.of("parallelism", "parallelism"),
                Column.of("headers", "headers"),
                Column.of("M headers/s, start to last commit", "mpps"),
                Column.of("M headers/s, without the first quarter", "steadyMpps"));
    }
}
