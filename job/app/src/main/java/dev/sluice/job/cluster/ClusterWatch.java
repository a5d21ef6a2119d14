package dev.sluice.job.cluster;

import dev.sluice.policy.io.SluiceException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Process of a cluster that restarts ended TaskManagers with their former memory and cores.
 *
 * <p>The job then has its slots back and resumes from its last checkpoint.
 *
 * <p>A TaskManager that ends again within a minute waits before its next start: 1 s, then twice as
 * long each time, at most 30 s. An ended JobManager or broker is left to the operator.
 */
public final class ClusterWatch {
    private static final Logger LOG = LoggerFactory.getLogger(ClusterWatch.class);
    private static final long LOOK_MILLIS = 500;
    private static final Duration STEADY = Duration.ofMinutes(1);
    private static final Duration FIRST_PAUSE = Duration.ofSeconds(1);
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(30);

    private final ClusterFolder folder;
    private final Map<String, Restart> restarts = new HashMap<>();

    /**
     * Earliest time of a TaskManager's next start (System.nanoTime), and the pause after that
     * start.
     */
    private record Restart(long dueNanos, Duration next) {}

    private ClusterWatch(ClusterFolder folder) {
        this.folder = folder;
    }

    /** Returns the launch of a cluster's watch. */
    static Launch launch(ClusterFolder folder) {
        return new Launch(
                null,
                List.of("-Xmx24m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xss512k"),
                List.of(ClusterWatch.class.getName(), folder.path().toString()));
    }

    /**
     * Watches until the cluster has ended.
     *
     * @param arguments the cluster's folder
     */
    public static void main(String[] arguments) throws InterruptedException {
        ClusterFolder folder = ClusterFolder.of(Path.of(arguments[0]));
        ClusterWatch watch = new ClusterWatch(folder);
        Optional<ClusterState> state = ClusterState.read(folder);
        while (state.isPresent()) {
            try {
                watch.look(state.get());
            } catch (SluiceException e) {
                LOG.warn("{}", e.getMessage()); // a command starts or ends the cluster, or the disk
            }
            Thread.sleep(LOOK_MILLIS);
            state = ClusterState.read(folder);
        }
    }

    private void look(ClusterState state) throws InterruptedException {
        for (Member member : state.members()) {
            if (member.role().startsWith(Member.TASK_MANAGER)
                    && !member.runs()
                    && isDue(member.role())) {
                folder.alone(() -> startAgain(member));
            }
        }
    }

    private boolean isDue(String role) {
        Restart last = restarts.get(role);
        return last == null || System.nanoTime() - last.dueNanos() >= 0;
    }

    private Member startAgain(Member gone) {
        ClusterState now =
                ClusterState.read(folder)
                        .orElseThrow(() -> new SluiceException("the cluster has ended"));
        Member there = now.member(gone.role()).orElse(gone);
        if (there.runs()) {
            return there;
        }
        Member member = now.startAgain(folder, gone.role());
        note(gone.role());
        LOG.warn(
                "{}, process {}, was gone; it is started again as process {}",
                gone.role(),
                there.pid(),
                member.pid());
        return member;
    }

    private void note(String role) {
        long now = System.nanoTime();
        Restart last = restarts.get(role);
        Duration pause =
                last == null || now - last.dueNanos() > STEADY.toNanos()
                        ? FIRST_PAUSE
                        : last.next();
        Duration twice = pause.multipliedBy(2);
        restarts.put(
                role,
                new Restart(
                        now + pause.toNanos(),
                        twice.compareTo(LONGEST_PAUSE) < 0 ? twice : LONGEST_PAUSE));
    }
}
