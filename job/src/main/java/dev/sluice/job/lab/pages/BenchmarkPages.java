package dev.sluice.job.lab.pages;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** All generated pages of {@code docs/benchmarks}. */
final class BenchmarkPages {
    private static final List<BenchmarkPage> PAGES =
            List.of(
                    new CsvPage(
                            "goals.md",
                            "Goals and what was reached",
                            "What was asked for, what was measured, and the page that has the measurement.",
                            List.of("goals.csv")),
                    new CorridorPage(),
                    new RuleChangesPage(),
                    new RivalsPage(),
                    new GridPage(),
                    new AlgorithmsPage(),
                    new SweepsPage(),
                    new CsvPage(
                            "studies.md",
                            "Smaller measurements",
                            "One question each. Every section says when and how it was measured.",
                            List.of(
                                    "captures.csv",
                                    "classify.csv",
                                    "follow.csv",
                                    "rule-statistics.csv",
                                    "rule-statistics-corridor.csv",
                                    "rule-statistics-rate.csv",
                                    "auto-behind.csv",
                                    "classbench-changes.csv",
                                    "merged-tuple-lists.csv",
                                    "update-lists.csv",
                                    "update-single-shared-host.csv",
                                    "forest-rebuild.csv",
                                    "forest-build.csv",
                                    "hostile-rules.csv",
                                    "flow-cache.csv",
                                    "updates-beside.csv",
                                    "cpu-help.csv",
                                    "device-threads.csv",
                                    "bitmap-rfc.csv",
                                    "bitmap-rfc-tables.csv",
                                    "rfc-refusal.csv",
                                    "bloom-filters.csv")),
                    new GpuKernelsPage(),
                    new GpuPapersPage(),
                    new GpuHostPage(),
                    new GpuDoorPage(),
                    new GpuUpdatesPage(),
                    new CsvPage(
                            "gpu-check.md",
                            "What was compared on GPUs",
                            "Answers, not rates: every kernel and the whole job against the CPU.",
                            List.of("gpu-check.csv", "gpu-whole-job.csv")));

    private BenchmarkPages() {}

    /**
     * The text of each page by its file: those in the folder of the raw files, and {@code
     * benchmarks.md} beside the folder with its tables made anew, where it is.
     */
    static Map<Path, String> of(Path folder) throws IOException {
        RawFiles raw = new RawFiles(folder);
        Map<Path, String> texts = new LinkedHashMap<>();
        for (BenchmarkPage page : PAGES) {
            texts.put(folder.resolve(page.file()), page.text(raw));
        }
        Path headlines = folder.toAbsolutePath().normalize().resolveSibling("benchmarks.md");
        if (Files.exists(headlines)) {
            texts.put(headlines, Headlines.fill(Files.readString(headlines), raw));
        }
        return texts;
    }
}
