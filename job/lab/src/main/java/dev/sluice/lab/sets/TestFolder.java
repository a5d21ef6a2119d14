package dev.sluice.lab.sets;

import dev.sluice.policy.io.SluiceException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.stream.Stream;

/**
 * The rule sets of a folder, read one after the other: each trace with the rules whose name its own
 * begins with.
 *
 * @param traces files of headers, in the order of their names
 */
public record TestFolder(Path folder, List<Path> traces) implements Iterable<TestSet> {
    private static final String TRACE = ".trace.gz";

    /** A folder of NAME.rules.gz, NAME*.trace.gz and NAME*.exp.gz. */
    public static TestFolder of(Path folder) {
        try (Stream<Path> all = Files.list(folder)) {
            List<Path> traces = all.filter(p -> p.toString().endsWith(TRACE)).sorted().toList();
            if (traces.isEmpty()) {
                throw new SluiceException(folder + ": has no files NAME" + TRACE);
            }
            return new TestFolder(folder, traces);
        } catch (IOException e) {
            throw new SluiceException(folder + ": cannot be listed: " + e.getMessage(), e);
        }
    }

    /** All that may be read of it. */
    public List<Path> files() {
        try (Stream<Path> all = Files.list(folder)) {
            return all.toList();
        } catch (IOException e) {
            throw new SluiceException(folder + ": cannot be listed: " + e.getMessage(), e);
        }
    }

    private static String name(Path trace) {
        String file = String.valueOf(trace.getFileName());
        return file.substring(0, file.length() - TRACE.length());
    }

    /** The rules with the longest name that begins the trace's. */
    private Path rulesOf(Path trace) {
        try (Stream<Path> all = Files.list(folder)) {
            return all.filter(p -> p.toString().endsWith(".rules.gz"))
                    .filter(p -> name(trace).startsWith(rulesName(p)))
                    .max(Comparator.comparingInt(p -> rulesName(p).length()))
                    .orElseThrow(() -> new SluiceException(trace + ": no rules begin its name"));
        } catch (IOException e) {
            throw new SluiceException(folder + ": cannot be listed: " + e.getMessage(), e);
        }
    }

    private static String rulesName(Path rules) {
        return String.valueOf(rules.getFileName()).replace(".rules.gz", "");
    }

    /** The rule set of one of the traces; without a file of answers, linear search gives them. */
    public TestSet read(Path trace) {
        Path expect = folder.resolve(name(trace) + ".exp.gz");
        return TestSet.read(rulesOf(trace), trace, Files.exists(expect) ? expect : null);
    }

    @Override
    public Iterator<TestSet> iterator() {
        return traces.stream().map(this::read).iterator();
    }
}
