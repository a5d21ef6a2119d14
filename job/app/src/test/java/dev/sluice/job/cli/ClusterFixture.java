package dev.sluice.job.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.job.Sluice;
import dev.sluice.job.cluster.ClusterFolder;
import dev.sluice.job.cluster.ClusterState;
import dev.sluice.job.cluster.Member;
import dev.sluice.job.watch.JobRest;
import dev.sluice.schemas.testing.Await;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.io.TempDir;

/** A cluster of processes, which leaves none behind. */
abstract class ClusterFixture {
    private static final Pattern GOES_ON =
            Pattern.compile(
                    "by: sluice (?:run|archive) --savepoint '([^']*)' --cluster '([^']*)' (.*)");

    private final Set<Long> before = children();

    @TempDir Path directory;

    /** Processes that this one has started, in whatever way, and that run. */
    private static Set<Long> children() {
        return ProcessHandle.current()
                .children()
                .filter(ClusterFixture::runs)
                .map(ProcessHandle::pid)
                .collect(Collectors.toSet());
    }

    /** One that has ended is a child until this process has asked for its status. */
    private static boolean runs(ProcessHandle process) {
        long started =
                process.info().startInstant().map(Instant::toEpochMilli).orElse(Long.MIN_VALUE / 2);
        return new Member("", process.pid(), started).runs();
    }

    Set<Long> left() {
        Set<Long> left = children();
        left.removeAll(before);
        return left;
    }

    @AfterEach
    void leaveNone() {
        left().forEach(pid -> ProcessHandle.of(pid).ifPresent(ProcessHandle::destroyForcibly));
    }

    Path folder() {
        return directory.resolve("a cluster");
    }

    Sluice cluster(String what, Object... more) {
        Object[] words = new Object[4 + more.length];
        words[0] = "cluster";
        words[1] = what;
        words[2] = "--cluster";
        words[3] = folder();
        System.arraycopy(more, 0, words, 4, more.length);
        return Sluice.run(words);
    }

    Sluice up(Object... more) {
        return upWithSlots(1, more);
    }

    Sluice upWithSlots(int slots, Object... more) {
        return upWith(List.of("--memory", "2176m", "--slots", slots), more);
    }

    Sluice upWith(List<Object> size, Object... more) {
        List<Object> words = new ArrayList<>(List.of("--web-port", 0));
        words.addAll(size);
        words.addAll(List.of(more));
        return cluster("up", words.toArray());
    }

    ClusterState state() {
        return ClusterState.read(ClusterFolder.of(folder())).orElseThrow();
    }

    void awaitEnd(String id) throws Exception {
        ClusterState state = state();
        JobRest job = new JobRest(state.host(), state.webPort(), id);
        Await.until(() -> Set.of("FINISHED", "FAILED").contains(job.state().orElse("")));
        assertEquals(Optional.of("FINISHED"), job.state());
    }

    Sluice goesOnFrom(String savepoint, Object... options) {
        List<Object> words = new ArrayList<>(List.of("run", "--savepoint", savepoint));
        words.addAll(List.of("--cluster", folder()));
        words.addAll(List.of(options));
        return Sluice.run(words.toArray());
    }

    static Matcher goesOn(Sluice said) {
        Matcher command = GOES_ON.matcher(said.out());
        assertTrue(command.find(), said.out());
        return command;
    }
}
