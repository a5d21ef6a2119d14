package dev.sluice.job.cluster;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Command line of a process, for its start and restarts.
 *
 * @param cores on which it is kept, as in 4-9; null: any
 * @param jvmOptions of this process alone
 * @param words main class and arguments
 */
record Launch(@Nullable String cores, List<String> jvmOptions, List<String> words) {
    /** Copies the lists. */
    Launch {
        jvmOptions = List.copyOf(jvmOptions);
        words = List.copyOf(words);
    }
}
