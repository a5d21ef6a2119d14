package dev.sluice.lab.sets;

import dev.sluice.policy.io.SluiceException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Stream;

/** Rule sets of a folder of NAME.rules.gz, NAME*.trace.gz and NAME*.exp.gz. */
public final class TestFolder {
    private static final String RULES = ".rules.gz";
    private static final String TRACE = ".trace.gz";

    private TestFolder() {}

    /**
     * Returns the traces in the order of their names, each with the rules of the longest name that
     * begins the trace's, to be read when they are asked for.
     */
    public static List<Supplier<TestSet>> sets(Path folder) {
        List<Path> traces = files(folder, TRACE);
        if (traces.isEmpty()) {
            throw new SluiceException(folder + ": has no files NAME" + TRACE);
        }
        List<Path> rules = files(folder, RULES);
        List<Supplier<TestSet>> sets = new ArrayList<>();
        for (Path trace : traces) {
            Path of =
                    rules.stream()
                            .filter(r -> name(trace, TRACE).startsWith(name(r, RULES)))
                            .max(Comparator.comparingInt(r -> name(r, RULES).length()))
                            .orElseThrow(
                                    () -> new SluiceException(trace + ": no rules begin its name"));
            sets.add(() -> TestSet.read(of, trace));
        }
        return sets;
    }

    private static List<Path> files(Path folder, String ending) {
        try (Stream<Path> all = Files.list(folder)) {
            return all.filter(p -> p.toString().endsWith(ending)).sorted().toList();
        } catch (IOException e) {
            throw new SluiceException(folder + ": cannot be listed: " + e.getMessage(), e);
        }
    }

    private static String name(Path file, String ending) {
        return String.valueOf(file.getFileName()).replace(ending, "");
    }
}
