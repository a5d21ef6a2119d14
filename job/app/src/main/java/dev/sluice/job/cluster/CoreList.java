package dev.sluice.job.cluster;

import dev.sluice.job.UsageException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;

/**
 * List of cores of this machine to which {@code taskset} binds a process.
 *
 * @param text numbers and ranges of numbers, as in {@code 0-3,8}
 */
public record CoreList(String text) {
    private static final Pattern FORM = Pattern.compile("\\d+(-\\d+)?(,\\d+(-\\d+)?)*");
    private static final Path TASKSET = Path.of("/usr/bin/taskset");

    /**
     * Parses an option's value.
     *
     * @throws UsageException if the value is no list, or there is no {@code taskset}
     */
    public static CoreList parse(String text) {
        if (!FORM.matcher(text).matches()) {
            throw new UsageException(
                    "'%s' is no list of cores; write one such as 0-3,8".formatted(text));
        }
        if (!Files.isExecutable(TASKSET)) {
            throw new UsageException(
                    "%s needs %s, of Debian's package util-linux; install it, or leave the cores out"
                            .formatted(text, TASKSET));
        }
        return new CoreList(text);
    }

    /** Returns the words that bind a command to these cores when they precede it. */
    public List<String> words() {
        return List.of(TASKSET.toString(), "-c", text);
    }
}
