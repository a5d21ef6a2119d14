package dev.sluice.job.cli;

import java.util.ServiceLoader;

/**
 * A command that joins the {@code sluice} command line without being known here. {@link Main} finds
 * contributions by {@link ServiceLoader}: a jar names its own, one a line, in {@code
 * META-INF/services/dev.sluice.job.cli.CommandContribution}, and help lists them in that order,
 * behind the commands that the command line has itself.
 *
 * <p>An implementation is public, has a public constructor without parameters, and bears picocli's
 * {@code @Command}, which gives its name. It may be made to ask for that alone.
 */
public interface CommandContribution {
    /** The parent of a command that stands beside {@code run} and {@code replay}. */
    String TOP_LEVEL = "";

    /**
     * Name of the command that this one becomes a subcommand of, or {@link #TOP_LEVEL}. The parent
     * may be a contribution itself, if it comes earlier in the file of services.
     */
    default String parent() {
        return TOP_LEVEL;
    }

    /**
     * Tells whether help lists it with the commands that run the job, not with those that measure.
     */
    default boolean feedsJob() {
        return false;
    }
}
