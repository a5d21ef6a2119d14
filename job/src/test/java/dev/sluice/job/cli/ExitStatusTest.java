package dev.sluice.job.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.job.Sluice;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
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
                    "resume NONE --bootstrap NOBODY --cluster NONE",
                    "broker --data FILE",
                    "cluster up --folder FILE",
                    "cluster status --folder NONE",
                    "cluster down --folder NONE",
                    "rules publish --rules NONE --bootstrap NOBODY",
                    "rules add actions=drop --bootstrap NOBODY",
                    "rules remove 1 --bootstrap NOBODY",
                    "rules show --bootstrap NOBODY",
                    "rules log --bootstrap NOBODY",
                    "rules diff 1 2 --bootstrap NOBODY",
                    "rules rollback 1 --bootstrap NOBODY",
                    "rules hits NONE --rules NONE",
                    "rules heartbeat --bootstrap NOBODY",
                    "rules generate --shape zones --out NONE/x --trace NONE/y",
                    "verdicts --bootstrap NOBODY",
                    "cat topic --bootstrap NOBODY",
                    "schemas --out FILE/x",
                    "load --rules NONE --bootstrap NOBODY",
                    "advise --rules NONE",
                    "bench --rules NONE --trace NONE",
                    "bench table --folder NONE --out NONE/x",
                    "bench bitmap-rfc --rules NONE",
                    "bench pages --check --raw NONE",
                    "gpu info",
                    "gpu check --rules NONE --trace NONE",
                    "gpu bench --rules NONE --trace NONE",
                    "gpu host --rules NONE --trace NONE",
                    "gpu updates");

    /** Commands that have no input, or are only of the laboratory's studies. */
    private static final Set<String> WITHOUT =
            Set.of(
                    "help",
                    "version",
                    "completion",
                    "test",
                    "package",
                    "bench grid",
                    "bench hostile",
                    "soak",
                    "gpu grid",
                    "gpu measure");

    /** Commands that look at other things first than at all of their numbers. */
    private static final List<String> LATE = List.of("bench", "gpu", "rules generate", "resume");

    /** Options whose number may be anything. */
    private static final Set<String> ANY_NUMBER = Set.of("--seed");

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
        CommandLine at = Main.commandLine(new Main());
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
        if (command.getSubcommands().isEmpty() || name(command).equals("bench")) {
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
        leaves(Main.commandLine(new Main()), there);
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
        for (String call : CALLS) {
            if (LATE.stream().anyMatch(call::startsWith)) {
                continue;
            }
            for (OptionSpec option : command(call).getCommandSpec().options()) {
                String named = option.longestName();
                if (!isNumber(option.type()) || ANY_NUMBER.contains(named)) {
                    continue;
                }
                for (String value : List.of("-1", "x")) {
                    tried++;
                    Sluice run = run(words(call), named + "=" + value);
                    if (run.status() != 2 || !run.err().contains(named)) {
                        bad.add(
                                call
                                        + " "
                                        + named
                                        + "="
                                        + value
                                        + ": "
                                        + run.status()
                                        + " "
                                        + run.err());
                    }
                }
            }
        }
        assertTrue(tried > 50, tried + " calls");
        assertEquals(List.of(), bad);
    }

    private static boolean isNumber(Class<?> type) {
        return type == int.class
                || type == long.class
                || type == double.class
                || Number.class.isAssignableFrom(type);
    }
}
