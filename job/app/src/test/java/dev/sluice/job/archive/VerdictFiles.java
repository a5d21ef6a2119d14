package dev.sluice.job.archive;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** Files that the job of an archive has written. */
public final class VerdictFiles {
    private static final Comparator<String> ORDER =
            Comparator.comparing((String line) -> line.split("\t")[0])
                    .thenComparingLong(line -> Long.parseLong(line.split("\t")[1]));

    private VerdictFiles() {}

    /** The files of a folder that are visible: those behind a checkpoint. */
    public static List<Path> parts(Path folder) throws IOException {
        return files(folder).filter(file -> !isHidden(file)).toList();
    }

    /** Files that were begun and are behind no checkpoint. */
    static List<Path> unfinished(Path folder) throws IOException {
        return files(folder).filter(VerdictFiles::isHidden).toList();
    }

    private static Stream<Path> files(Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.filter(Files::isRegularFile).sorted().toList().stream();
        }
    }

    private static boolean isHidden(Path file) {
        return file.getFileName().toString().startsWith(".");
    }

    /** The lines of all files, by capture and packet, behind one line of titles. */
    public static List<String> sorted(Path folder, String titles) throws IOException {
        List<String> lines = new ArrayList<>();
        for (Path part : parts(folder)) {
            assertTrue(part.getFileName().toString().matches("verdicts-.*\\.tsv"), part.toString());
            List<String> all = Files.readAllLines(part);
            assertEquals(titles, all.get(0));
            lines.addAll(all.subList(1, all.size()));
        }
        lines.sort(ORDER);
        lines.add(0, titles);
        return lines;
    }
}
