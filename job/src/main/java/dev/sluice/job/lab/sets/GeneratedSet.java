package dev.sluice.job.lab.sets;

import dev.sluice.engine.rules.RuleSet;
import dev.sluice.job.SluiceException;
import dev.sluice.job.importers.HeaderTrace;
import dev.sluice.job.importers.RuleFile;
import dev.sluice.job.importers.TextFiles;
import dev.sluice.job.lab.generate.RuleGenerator;
import dev.sluice.job.lab.generate.TraceGenerator;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.IntStream;

/**
 * Generated rules and a trace of headers for them, read back from files as a user's would be.
 *
 * @param rules the file's rules in their total order
 */
public record GeneratedSet(RuleFile file, RuleSet rules, HeaderTrace trace) {
    /** Rules that linear search may look at: a few seconds. */
    private static final long ORACLE_RULES = 1_000_000_000L;

    /**
     * Generates rules and headers.
     *
     * @param misses share of headers that are random or near misses
     * @param seed of the headers
     * @throws SluiceException if files cannot be written
     */
    public static GeneratedSet generate(
            RuleGenerator generator, int headers, double misses, long seed) {
        try {
            Path folder = Files.createTempDirectory("sluice-lab");
            try {
                return generate(generator, headers, misses, seed, folder);
            } finally {
                Files.deleteIfExists(rulesIn(folder));
                Files.deleteIfExists(traceIn(folder));
                Files.delete(folder);
            }
        } catch (IOException e) {
            throw new SluiceException("cannot write generated rules: " + e.getMessage(), e);
        }
    }

    /**
     * Generates rules and headers, and leaves the files in a folder.
     *
     * @param misses share of headers that are random or near misses
     * @param seed of the headers
     * @throws IOException if files cannot be written
     */
    public static GeneratedSet generate(
            RuleGenerator generator, int headers, double misses, long seed, Path folder)
            throws IOException {
        TextFiles.write(rulesIn(folder), String.join("\n", generator.lines()) + "\n");
        RuleFile file = RuleFile.read(rulesIn(folder), null);
        RuleSet rules = file.toRuleSet("generated", 1, RuleSet.DROP);
        HeaderTrace trace =
                TraceGenerator.trace(file, rules, traceIn(folder), headers, misses, 0, seed);
        return new GeneratedSet(file, rules, trace);
    }

    /** The file of rules that was left in a folder. */
    public static Path rulesIn(Path folder) {
        return folder.resolve("generated.rules");
    }

    /** The file of headers that was left in a folder. */
    public static Path traceIn(Path folder) {
        return folder.resolve("generated.trace");
    }

    /**
     * Numbers of the headers that linear search answers in a few seconds, spread over the trace:
     * all of them where rules are few.
     */
    public int[] linearSample() {
        int headers = trace.size();
        int step = (int) Math.max(1, (long) headers * rules.size() / ORACLE_RULES);
        return IntStream.range(0, headers).filter(i -> i % step == 0).toArray();
    }
}
