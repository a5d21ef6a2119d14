package dev.sluice.job.lab.sets;

import dev.sluice.engine.rules.RuleSet;
import dev.sluice.job.SluiceException;
import dev.sluice.job.importers.HeaderTrace;
import dev.sluice.job.importers.RuleFile;
import dev.sluice.job.lab.generate.RuleGenerator;
import dev.sluice.job.lab.generate.TraceGenerator;
import java.io.IOException;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Generated rules and a trace of headers for them, read back from files as a user's would be.
 *
 * @param rules the file's rules in their total order
 */
public record GeneratedSet(RuleFile file, RuleSet rules, HeaderTrace trace) {
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
            Path rulesFile = folder.resolve("generated.rules");
            Path traceFile = folder.resolve("generated.trace");
            try {
                Files.write(rulesFile, generator.lines());
                RuleFile file = RuleFile.read(rulesFile, null);
                RuleSet rules = file.toRuleSet("generated", 1, RuleSet.DROP);
                boolean tsv = file.format() == RuleFile.Format.OPENFLOW;
                try (Writer out = Files.newBufferedWriter(traceFile)) {
                    new TraceGenerator(rules, tsv, misses, 0, seed).write(out, headers);
                }
                return new GeneratedSet(file, rules, HeaderTrace.read(traceFile));
            } finally {
                Files.deleteIfExists(rulesFile);
                Files.deleteIfExists(traceFile);
                Files.delete(folder);
            }
        } catch (IOException e) {
            throw new SluiceException("cannot write generated rules: " + e.getMessage(), e);
        }
    }
}
