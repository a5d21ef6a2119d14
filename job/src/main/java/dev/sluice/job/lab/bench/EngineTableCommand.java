package dev.sluice.job.lab.bench;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sluice.engine.EngineOptions;
import dev.sluice.engine.gpu.GpuPool;
import dev.sluice.engine.image.MemoryBudgetException;
import dev.sluice.engine.lookup.Algorithm;
import dev.sluice.engine.lookup.AlgorithmChoice;
import dev.sluice.engine.lookup.UnsupportedRulesException;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.engine.tuple.TupleAlgorithm;
import dev.sluice.job.SluiceException;
import dev.sluice.job.UsageException;
import dev.sluice.job.cli.JsonOption;
import dev.sluice.job.cli.Sizes;
import dev.sluice.job.importers.HeaderTrace;
import dev.sluice.job.importers.RuleFile;
import dev.sluice.job.importers.TextFiles;
import dev.sluice.job.lab.generate.RuleGenerator;
import dev.sluice.job.lab.generate.RuleShape;
import dev.sluice.job.lab.sets.GeneratedSet;
import dev.sluice.job.lab.sets.RecordFile;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code sluice bench table}: every algorithm on every rule set, on one core. */
@Command(
        name = "table",
        description = {
            "Measures every algorithm on the rule sets of a folder and on generated routes, on one core.",
            "It prints rate, build, memory, updates in place and wrong answers. Exit status 1 if an answer is wrong.",
            ""
        })
public final class EngineTableCommand implements Callable<Integer> {
    /** Tuples whose port ranges are prefixes: one name beside those of the algorithms. */
    static final String EXPANDED = "tuple, ranges expanded";

    private static final int BATCH = 4096;
    private static final int HEADERS = 200_000;
    private static final double MISSES = 0.1;

    @Spec private CommandSpec spec;

    @Option(
            names = "--folder",
            paramLabel = "FOLDER",
            description = "Folder of NAME.rules.gz, NAME.trace.gz, NAME_mix.trace.gz and .exp.gz.")
    private @Nullable Path folder;

    @Option(
            names = "--sets",
            paramLabel = "NAME",
            split = ",",
            description =
                    "Rule sets of the folder, separated by commas (default: all); all need minutes, some of 100,000 rules hours.")
    private List<String> sets = List.of();

    @Option(
            names = "--routes",
            paramLabel = "IPV4,IPV6",
            split = ",",
            description =
                    "Also generated routes, so many of IPv4 and of IPv6, as 'gpu measure' has them: 282797,200000.")
    private List<Integer> routes = List.of();

    @Option(
            names = "--algorithms",
            paramLabel = "NAME",
            split = ",",
            description =
                    "Algorithms, separated by commas; auto: the engine chooses; expanded: tuple with --expand-ranges (default: all).")
    private List<String> algorithms = List.of();

    @Option(
            names = "--memory-budget",
            paramLabel = "SIZE",
            defaultValue = "1g",
            converter = Sizes.class,
            description = "Budget of each image (default ${DEFAULT-VALUE}).")
    private long memoryBudget = 1L << 30;

    @Option(
            names = "--rounds",
            paramLabel = "N",
            defaultValue = "7",
            description = "Measured rounds, at least 5 (default ${DEFAULT-VALUE}).")
    private int rounds;

    @Option(
            names = "--no-updates",
            description = "Leave updates in place out, which take four seconds each.")
    private boolean noUpdates;

    @Option(
            names = "--out",
            paramLabel = "FILE",
            required = true,
            description =
                    "JSON file of the measurements, written after each; what other runs measured stays there.")
    private Path out = Path.of("");

    @Mixin private JsonOption json = new JsonOption();

    private long wrong;

    /** What is measured, and what it is called. */
    private record Subject(String name, EngineOptions options) {}

    /** How many of the answers of a bench are wrong. */
    private interface Check {
        long wrong(EngineBench bench) throws IOException;
    }

    @Override
    public Integer call() throws IOException {
        UsageException.requireRange("--rounds", rounds, 5, 1000);
        if (routes.size() != 0 && routes.size() != 2) {
            throw new UsageException(
                    "--routes takes two numbers, of IPv4 and of IPv6 routes, not " + routes.size());
        }
        for (int count : routes) {
            UsageException.requireAtLeast("--routes", count, 1);
        }
        if (folder == null && routes.isEmpty()) {
            throw new UsageException("name --folder, or --routes, or both");
        }
        List<Subject> subjects = subjects();
        List<Path> files = folder == null ? List.of() : files(folder);
        RecordFile file = new RecordFile(out, List.of("set", "trace", "asked"), "measurements");
        for (Path rules : files) {
            ofFolder(rules, subjects, file);
        }
        if (!routes.isEmpty()) {
            generated(RuleShape.ROUTES, routes.get(0), subjects, file);
            generated(RuleShape.ROUTES6, routes.get(1), subjects, file);
        }
        return wrong == 0 ? 0 : 1;
    }

    private List<Subject> subjects() {
        long budget = memoryBudget;
        EngineOptions plain =
                EngineOptions.DEFAULTS
                        .withBudget(budget)
                        .withFlowCache(0)
                        .withGpu(GpuPool.Selection.OFF);
        List<Subject> subjects = new ArrayList<>();
        for (String label : algorithms.isEmpty() ? names() : algorithms) {
            if (label.equals("expanded")) {
                EngineOptions tuple = plain.withAlgorithm(AlgorithmChoice.parse("tuple"));
                subjects.add(
                        new Subject(
                                EXPANDED,
                                tuple.withTuning(
                                        tuple.tuning().with(TupleAlgorithm.EXPAND_RANGES, true))));
            } else {
                subjects.add(new Subject(label, plain.withAlgorithm(AlgorithmChoice.parse(label))));
            }
        }
        return subjects;
    }

    private static List<String> names() {
        List<String> names = new ArrayList<>(AlgorithmChoice.labels());
        names.add("expanded");
        return names;
    }

    private List<Path> files(Path from) {
        try (Stream<Path> all = Files.list(from)) {
            List<Path> files =
                    all.filter(p -> p.toString().endsWith(".rules.gz"))
                            .filter(p -> sets.isEmpty() || sets.contains(name(p)))
                            .sorted()
                            .toList();
            for (String set : sets) {
                if (files.stream().noneMatch(p -> name(p).equals(set))) {
                    throw new UsageException(
                            "--sets " + set + ": " + from + " has no " + set + ".rules.gz");
                }
            }
            return files;
        } catch (IOException e) {
            throw new SluiceException(TextFiles.describe("folder", from, e), e);
        }
    }

    private static String name(Path rules) {
        return String.valueOf(rules.getFileName()).replace(".rules.gz", "");
    }

    /** A set with its own trace and, where it has one, that of mixed headers. */
    private void ofFolder(Path rules, List<Subject> subjects, RecordFile file) throws IOException {
        RuleFile read = RuleFile.read(rules, null);
        Path mix = rules.resolveSibling(name(rules) + "_mix.trace.gz");
        boolean mixed = Files.exists(mix);
        for (Subject subject : subjects) {
            Path plain = rules.resolveSibling(name(rules) + ".trace.gz");
            ofFolder(rules, read, plain, "plain", subject, !mixed, file);
            if (mixed) {
                ofFolder(rules, read, mix, "mix", subject, true, file);
            }
        }
    }

    private void ofFolder(
            Path rules,
            RuleFile read,
            Path trace,
            String traceName,
            Subject subject,
            boolean updates,
            RecordFile file)
            throws IOException {
        HeaderTrace headers = HeaderTrace.read(trace);
        String answers = String.valueOf(trace.getFileName()).replace(".trace.gz", ".exp.gz");
        measure(
                name(rules),
                traceName,
                read,
                headers,
                subject,
                updates,
                bench -> bench.countWrong(headers, trace.resolveSibling(answers)),
                file);
    }

    private void generated(RuleShape shape, int count, List<Subject> subjects, RecordFile file)
            throws IOException {
        GeneratedSet set =
                GeneratedSet.generate(
                        new RuleGenerator(
                                shape, count, 1, new RuleGenerator.MaskCounts(1, 1, 1, 5), 0),
                        HEADERS,
                        MISSES,
                        1);
        Algorithm linear = Algorithm.of("linear");
        for (Subject subject : subjects) {
            measure(
                    "%s_%d".formatted(shape.label(), count),
                    "generated",
                    set.file(),
                    set.trace(),
                    subject,
                    true,
                    bench ->
                            Witness.wrong(
                                    set, set.linearSample(), bench.answers(set.trace()), linear),
                    file);
        }
    }

    private void measure(
            String set,
            String trace,
            RuleFile rules,
            HeaderTrace headers,
            Subject subject,
            boolean updates,
            Check check,
            RecordFile file)
            throws IOException {
        String what = set + " " + trace + ", " + subject.name;
        try (EngineBench bench = new EngineBench(rules, subject.options)) {
            long differ = check.wrong(bench);
            EngineBench.Result result = bench.measure(headers, 1, BATCH, rounds);
            EngineReport report =
                    new EngineReport(
                            Path.of(set),
                            rules.rules().size(),
                            bench,
                            1,
                            BATCH,
                            headers.size(),
                            rounds,
                            0,
                            result,
                            updates && !noUpdates ? updates(rules, bench, subject.options) : null,
                            null,
                            differ);
            wrong += differ;
            ObjectNode record = report.json();
            record.remove("rules");
            record.put("set", set);
            record.put("trace", trace);
            record.put("asked", subject.name);
            file.put(record);
            if (json.isGiven()) {
                JsonOption.print(spec.commandLine().getOut(), record);
            } else {
                say(String.format(Locale.ROOT, "%s: %.2f M headers/s", what, result.mpps()));
            }
        } catch (UnsupportedRulesException | MemoryBudgetException e) {
            say(what + ": " + e.getMessage());
        }
    }

    /** Updates in place; null where the algorithm does not change these rules so. */
    private static UpdateBench.@Nullable Result updates(
            RuleFile file, EngineBench bench, EngineOptions options) {
        RuleSet rules = file.toRuleSet("bench", 1, RuleSet.DROP);
        Algorithm algorithm = bench.algorithm();
        boolean named = options.algorithm().algorithm().isPresent();
        return named && UpdateBench.changesInPlace(rules, algorithm, options)
                ? UpdateBench.measure(UpdateBench.Way.IN_PLACE, rules, algorithm, options)
                : null;
    }

    private void say(String line) {
        PrintWriter to = json.isGiven() ? spec.commandLine().getErr() : spec.commandLine().getOut();
        to.println(line);
        to.flush();
    }
}
