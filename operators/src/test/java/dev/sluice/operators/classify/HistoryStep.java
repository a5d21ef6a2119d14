package dev.sluice.operators.classify;

import dev.sluice.engine.rules.Rule;
import dev.sluice.engine.testing.StoryFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * One step in the life of a job. A file of steps is plain text, a line a thing; '#' begins a
 * comment, and what a step holds follows it:
 *
 * <pre>
 * publish snapshot ACTION     all rules anew, which follow
 * publish similar             as the delta that follows, but all rules are sent
 * publish delta               removes and puts what follows
 * publish unservable          puts what follows, under another default action, and sends all rules
 * publish broken              a snapshot without one of its messages
 * publish unfinished COUNT    so many messages of a snapshot, and never the rest
 * publish again               the transaction before once more
 * start TASKS                 the job: "here" or "there" for each task, the process that it runs in
 * deliver TASK COUNT          so many messages of the rules topic reach a task, if there are as many
 * packets SHARD               a block of the headers that follow
 * checkpoint
 * failure TASKS               the tasks fail and start from the last checkpoint
 * remove ID | rule ... | header ...    what a step holds, as in a {@link StoryFile}
 * </pre>
 *
 * @param words what it is
 */
record HistoryStep(List<String> words, List<Long> removes, List<Rule> rules, List<int[]> headers) {
    static HistoryStep of(String line) {
        return new HistoryStep(Arrays.asList(line.split(" ")), List.of(), List.of(), List.of());
    }

    HistoryStep removing(List<Long> ids) {
        return new HistoryStep(words, ids, rules, headers);
    }

    HistoryStep with(List<Rule> other) {
        return new HistoryStep(words, removes, other, headers);
    }

    HistoryStep asking(List<int[]> other) {
        return new HistoryStep(words, removes, rules, other);
    }

    String word(int at) {
        return words.get(at);
    }

    int number(int at) {
        return Integer.parseInt(words.get(at));
    }

    private void lines(List<String> out) {
        out.add(String.join(" ", words));
        removes.forEach(id -> out.add("remove " + id));
        rules.forEach(rule -> out.add(StoryFile.ruleText(rule)));
        headers.forEach(header -> out.add(StoryFile.headerText(header)));
    }

    /** Writes steps; {@code notes} become comments at the file's beginning. */
    static void write(Path file, List<HistoryStep> steps, String notes) throws IOException {
        List<String> lines = new ArrayList<>();
        notes.lines().forEach(note -> lines.add("# " + note));
        steps.forEach(step -> step.lines(lines));
        Files.createDirectories(file.toAbsolutePath().getParent());
        Files.write(file, lines);
    }

    /**
     * Reads steps.
     *
     * @throws IllegalArgumentException naming file, line and what is wrong with it
     */
    static List<HistoryStep> read(Path file) throws IOException {
        List<HistoryStep> steps = new ArrayList<>();
        List<String> lines = Files.readAllLines(file);
        for (int i = 0; i < lines.size(); i++) {
            try {
                line(lines.get(i).replaceFirst("#.*", "").strip(), steps);
            } catch (RuntimeException e) {
                throw new IllegalArgumentException(file + ":" + (i + 1) + ": " + e.getMessage(), e);
            }
        }
        return steps;
    }

    private static void line(String line, List<HistoryStep> steps) {
        String[] words = line.split("\\s+");
        switch (words[0]) {
            case "" -> {}
            case "publish", "start", "deliver", "packets", "checkpoint", "failure" ->
                    steps.add(
                            new HistoryStep(
                                    List.of(words),
                                    new ArrayList<>(),
                                    new ArrayList<>(),
                                    new ArrayList<>()));
            case "remove" -> steps.get(steps.size() - 1).removes.add(Long.parseLong(words[1]));
            case "rule" -> steps.get(steps.size() - 1).rules.add(StoryFile.rule(line));
            case "header" -> steps.get(steps.size() - 1).headers.add(StoryFile.header(line));
            default -> throw new IllegalArgumentException("there is no step '" + words[0] + "'");
        }
    }
}
