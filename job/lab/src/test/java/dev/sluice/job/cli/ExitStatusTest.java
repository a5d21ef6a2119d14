package dev.sluice.job.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.engine.lookup.Algorithm;
import dev.sluice.job.Sluice;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;
import picocli.CommandLine.Model.OptionSpec;

/**
 * Exit statuses of all commands: 2 for wrong usage, found before anything is read or started, and 1
 * for a failure. Each command is called with inputs that are not there.
 */
class ExitStatusTest {
    /** Commands of which each call is right but for its inputs, which are missing. */
    private static final List<String> CALLS =
            List.of(
                    "demo --test-data NONE",
                    "classify NONE --rules NONE",
                    "replay NONE --rules NONE",
                    "filter NONE --rules NONE --action drop -w NONE/x.pcapng",
                    "headers NONE",
                    "export NONE --bootstrap NOBODY",
                    "run --bootstrap NOBODY",
                    "savepoint --cluster NONE",
                    "stop --cluster NONE",
                    "archive NONE --rules NONE --verdicts NONE",
                    "broker --data FILE",
                    "cluster up --cluster FILE",
                    "cluster status --cluster NONE",
                    "cluster cancel 0123456789abcdef0123456789abcdef --cluster NONE",
                    "cluster down --cluster NONE",
                    "rules publish --rules NONE --bootstrap NOBODY",
                    "rules apply --bootstrap NOBODY",
                    "rules add actions=drop --bootstrap NOBODY",
                    "rules remove 1 --bootstrap NOBODY",
                    "rules show --bootstrap NOBODY",
                    "rules show NONE",
                    "rules anonymize NONE",
                    "rules convert NONE --to iptables",
                    "rules test NONE",
                    "rules log --bootstrap NOBODY",
                    "rules diff 1 2 --bootstrap NOBODY",
                    "rules diff --semantic NONE NONE",
                    "rules rollback 1 --bootstrap NOBODY",
                    "rules promote --from other --bootstrap NOBODY",
                    "rules shadow --bootstrap NOBODY",
                    "rules hits NONE --rules NONE",
                    "rules lint NONE",
                    "explain NONE#1 --rules NONE",
                    "report NONE --rules NONE",
                    "whatif NONE --rules NONE --rules NONE",
                    "verify --log NONE --rules NONE",
                    "serve --report NONE",
                    "serve --bootstrap NOBODY",
                    "rules heartbeat --bootstrap NOBODY",
                    "rules generate --shape acl --out NONE/x",
                    "rules trace --rules NONE --out NONE/y",
                    "verdicts --bootstrap NOBODY",
                    "cat topic --bootstrap NOBODY",
                    "schemas --out FILE/x",
                    "load --rules NONE --bootstrap NOBODY",
                    "advise --rules NONE",
                    "bench engine --rules NONE --trace NONE",
                    "bench corridor --rules NONE --trace NONE",
                    "bench corridor --rule-changes 5 --rules NONE --trace NONE",
                    "bench pages --check --raw NONE",
                    "gpu info",
                    "gpu check --rules NONE --trace NONE",
                    "gpu bench --rules NONE --trace NONE");

    /** Studies without an input, as short as they can be. */
    private static final List<String> STUDIES = List.of("soak --minutes 1 --kills 1 --rate 1000");

    /** Numbers that are no options and cannot be. */
    private static final List<String> NUMBERS =
            List.of(
                    "rules diff -1 2 --bootstrap NOBODY",
                    "rules diff 1 x --bootstrap NOBODY",
                    "rules rollback -1 --bootstrap NOBODY",
                    "rules remove x --bootstrap NOBODY",
                    "rules remove --line 0 --bootstrap NOBODY");

    /** Commands that have no input, or are only of the laboratory's studies. */
    private static final Set<String> WITHOUT =
            Set.of("help", "version", "completion", "test", "package", "soak", "rules formats");

    /** Options whose number may be anything. */
    private static final Set<String> ANY_NUMBER = Set.of("--seed");

    /** Those of algorithms are read together with --update-rate, which stands for them. */
    private static final Set<String> OF_ALGORITHMS =
            Algorithm.all().stream()
                    .flatMap(algorithm -> algorithm.options().stream())
                    .map(option -> "--" + option.name())
                    .collect(Collectors.toSet());

    /** What the help calls texts that are numbers with a unit, or instead of a word. */
    private static final Set<String> QUANTITIES =
            Set.of("BYTES", "SIZE", "DURATION", "TIME", "N", "HOW-MUCH");

    @TempDir Path folder;

    private List<String> words(String call) throws IOException {
        Path file = folder.resolve("file");
        if (!Files.exists(file)) {
            Files.createFile(file);
        }
        return Arrays.stream(call.split(" "))
                .map(
                        word ->
                                word.replace("NONE", folder.resolve("none").toString())
                                        .replace("FILE", file.toString())
                                        .replace("NOBODY", "localhost:1"))
                .toList();
    }

    private static CommandLine command(String call) {
        CommandLine at = Main.commandLine();
        for (String word : call.split(" ")) {
            CommandLine sub = at.getSubcommands().get(word);
            if (sub == null) {
                break;
            }
            at = sub;
        }
        return at;
    }

    private static String name(CommandLine command) {
        return command.getCommandSpec().qualifiedName(" ").replaceFirst("^sluice ", "");
    }

    private static void leaves(CommandLine command, Set<String> names) {
        command.getSubcommands().values().forEach(sub -> leaves(sub, names));
        if (command.getSubcommands().isEmpty()) {
            names.add(name(command));
        }
    }

    private Sluice run(List<String> words, String... more) {
        List<Object> all = new ArrayList<>(words);
        all.addAll(List.of(more));
        return Sluice.run(all.toArray());
    }

    @Test
    void everyCommandIsInTheTable() {
        Set<String> there = new TreeSet<>();
        leaves(Main.commandLine(), there);
        Set<String> known = new TreeSet<>(WITHOUT);
        CALLS.forEach(call -> known.add(name(command(call))));
        assertEquals(known, there);
    }

    @Test
    void whatIsMissingIsAFailureAndNamedBeforeAnythingStarts() throws IOException {
        List<String> bad = new ArrayList<>();
        for (String call : CALLS) {
            if (call.contains("NOBODY") || call.startsWith("gpu")) {
                continue; // that nobody answers takes seconds to know; a machine may have a GPU
            }
            Sluice run = run(words(call));
            if (run.status() != 1 || run.err().contains("starting") || run.err().isBlank()) {
                bad.add(call + ": " + run.status() + " " + run.err());
            }
        }
        assertEquals(List.of(), bad);
    }

    @Test
    void anOptionThatIsNotThereIsWrongUsage() throws IOException {
        List<String> bad = new ArrayList<>();
        for (String call : CALLS) {
            Sluice run = run(words(call), "--no-such-option");
            if (run.status() != 2 || !run.err().contains("--no-such-option")) {
                bad.add(call + ": " + run.status() + " " + run.err());
            }
        }
        assertEquals(List.of(), bad);
    }

    @Test
    void numbersThatCannotBeAreWrongUsageBeforeAnythingIsRead() throws IOException {
        List<String> bad = new ArrayList<>();
        int tried = 0;
        for (String call : Stream.concat(CALLS.stream(), STUDIES.stream()).toList()) {
            for (OptionSpec option : command(call).getCommandSpec().options()) {
                String named = option.longestName();
                if (!isQuantity(option) || ANY_NUMBER.contains(named)) {
                    continue;
                }
                // What is no number at all the parser refuses, but a time may be below 0.
                String value = option.paramLabel().equals("TIME") ? "x" : "-1";
                tried++;
                Sluice run = run(words(call), named + "=" + value);
                if (run.status() != 2 || !run.err().contains(named)) {
                    bad.add(
                            "%s %s=%s: %d %s"
                                    .formatted(call, named, value, run.status(), run.err()));
                }
            }
        }
        assertTrue(tried > 150, tried + " calls");
        assertEquals(List.of(), bad);
    }

    @Test
    void numbersThatAreNoOptionsAreLookedAtFirst() throws IOException {
        for (String call : NUMBERS) {
            Sluice run = run(words(call));
            assertEquals(2, run.status(), call + ": " + run.err());
        }
    }

    private static boolean isQuantity(OptionSpec option) {
        if (isNumber(option.isMultiValue() ? option.auxiliaryTypes()[0] : option.type())) {
            return true;
        }
        return QUANTITIES.contains(option.paramLabel())
                && !OF_ALGORITHMS.contains(option.longestName());
    }

    private static boolean isNumber(Class<?> type) {
        return type == int.class
                || type == long.class
                || type == double.class
                || Number.class.isAssignableFrom(type);
    }
}
