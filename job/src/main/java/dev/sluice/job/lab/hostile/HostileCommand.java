package dev.sluice.job.lab.hostile;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sluice.engine.lookup.Algorithm;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.job.UsageException;
import dev.sluice.job.cli.JsonOption;
import dev.sluice.job.cli.Sizes;
import dev.sluice.job.importers.RuleFile;
import dev.sluice.job.importers.TextFiles;
import dev.sluice.job.lab.generate.HostilePattern;
import dev.sluice.job.lab.generate.RuleGenerator;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code sluice bench hostile}: what builds of hostile rules take. */
@Command(
        name = "hostile",
        description = {
            "Compiles hostile rules of each pattern by each algorithm, and prints what that takes.",
            "Lines of comma-separated values: how it ended, seconds, counted work, memory.",
            ""
        })
public final class HostileCommand implements Callable<Integer> {
    private static final String AUTO = "auto";

    @Spec private CommandSpec spec;

    @Option(
            names = "--count",
            paramLabel = "N",
            defaultValue = "10000",
            description = "Rules of each pattern (default ${DEFAULT-VALUE}).")
    private int count;

    @Option(
            names = "--patterns",
            paramLabel = "NAME",
            split = ",",
            description =
                    "Some of those of 'rules generate --shape hostile --pattern', separated by commas (default: all).")
    private List<String> patterns =
            Arrays.stream(HostilePattern.values()).map(HostilePattern::label).toList();

    @Option(
            names = "--algorithms",
            paramLabel = "NAME",
            split = ",",
            description =
                    "Some algorithms, separated by commas; auto: the engine chooses (default: all).")
    private List<String> algorithms = List.of();

    @Option(
            names = "--memory-budget",
            paramLabel = "SIZE",
            defaultValue = "1g",
            converter = Sizes.class,
            description = "Budget of each build (default ${DEFAULT-VALUE}).")
    private long memoryBudget = 1L << 30;

    @Mixin private JsonOption json = new JsonOption();

    @Override
    public Integer call() throws IOException {
        UsageException.requireAtLeast("--count", count, 1);
        long budget = memoryBudget;
        // What passes rules on to a choice is as good or bad as that choice.
        List<Algorithm> subjects =
                Algorithm.all().stream().filter(algorithm -> algorithm.nesting() == 0).toList();
        requireKnown(subjects);
        PrintWriter out = spec.commandLine().getOut();
        if (!json.isGiven()) {
            out.println("pattern,rules,algorithm,outcome,s,M words,MB beside the image");
        }
        for (String name : patterns) {
            RuleSet rules = rules(HostilePattern.of(name));
            for (Algorithm algorithm : subjects) {
                if (asked(algorithm.label())) {
                    print(out, name, algorithm.label(), HostileBuild.by(algorithm, rules, budget));
                }
            }
            if (asked(AUTO)) {
                print(out, name, AUTO, HostileBuild.byChoice(rules, budget));
            }
        }
        return 0;
    }

    private void requireKnown(List<Algorithm> subjects) {
        List<String> known = new ArrayList<>(List.of(AUTO));
        subjects.forEach(algorithm -> known.add(algorithm.label()));
        for (String algorithm : algorithms) {
            if (!known.contains(algorithm)) {
                throw new UsageException(
                        "--algorithms " + algorithm + " is not one of " + String.join(", ", known));
            }
        }
    }

    private boolean asked(String algorithm) {
        return algorithms.isEmpty() || algorithms.contains(algorithm);
    }

    private void print(PrintWriter out, String pattern, String algorithm, HostileBuild build) {
        if (json.isGiven()) {
            ObjectNode node = JsonOption.object();
            node.put("pattern", pattern).put("rules", count).put("algorithm", algorithm);
            build.describe(node);
            JsonOption.print(out, node);
            return;
        }
        out.printf("%s,%d,%s,%s%n", pattern, count, algorithm, build.line());
        out.flush();
    }

    private RuleSet rules(HostilePattern pattern) throws IOException {
        Path file = Files.createTempFile("hostile", ".rules");
        try {
            TextFiles.write(
                    file, String.join("\n", RuleGenerator.hostile(pattern, count, 1)) + "\n");
            return RuleFile.read(file, null).toRuleSet(pattern.label(), 1, RuleSet.DROP);
        } finally {
            Files.delete(file);
        }
    }
}
