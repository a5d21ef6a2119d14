package dev.sluice.job.cluster;

import dev.sluice.job.ShellWord;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.PipelineOptions;

/**
 * The options that a job was submitted with, noted in the job itself: Flink's web interface shows
 * them, who stops it is told the command by which it goes on, and who starts another sees what that
 * must not share with it.
 *
 * @param words options and their values as they were given
 * @param transactionPrefix of its transactional ids
 */
public record SubmittedOptions(List<String> words, String transactionPrefix) {
    static final String LINE = "sluice.options";
    static final String PREFIX = "sluice.transactional-id-prefix";

    /** Of a job. */
    public SubmittedOptions {
        words = List.copyOf(words);
    }

    /** Notes them in a job that is to be submitted with this configuration. */
    public void addTo(Configuration config) {
        config.set(
                PipelineOptions.GLOBAL_JOB_PARAMETERS,
                Map.of(
                        LINE,
                        words.stream().map(ShellWord::of).collect(Collectors.joining(" ")),
                        PREFIX,
                        transactionPrefix));
    }
}
