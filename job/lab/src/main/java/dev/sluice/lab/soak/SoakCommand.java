package dev.sluice.lab.soak;

import dev.sluice.job.UsageException;
import dev.sluice.job.cli.CommandContribution;
import dev.sluice.job.cli.Interruptible;
import dev.sluice.job.cli.JsonOption;
import dev.sluice.job.cli.OutputPath;
import dev.sluice.job.cli.SluiceCommand;
import dev.sluice.job.cluster.ClusterPlan;
import dev.sluice.job.replay.TemporaryDirectory;
import dev.sluice.job.watch.ExitHook;
import dev.sluice.job.watch.StatusLine;
import dev.sluice.lab.kit.Results;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.flink.util.FileUtils;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code sluice soak}. */
@Command(
        name = "soak",
        description = {
            "Kills processes of a cluster under load again and again, and compares each verdict with the reference.",
            "It starts a cluster of its own as 'sluice cluster up' does (broker, JobManager, TaskManagers, on free ports of this machine), loads its packets topic, and publishes new rules meanwhile. By a plan that the seed draws it kills (SIGKILL) TaskManagers at work and while a checkpoint commits, the JobManager (the job then goes on by 'sluice run --savepoint' from the newest checkpoint), the broker and the publisher of rules, and starts them again: half of them alone, behind a new checkpoint, the others before the job is back from the kill before. At the end each packet must have one verdict, the right one by the version of the rules that it names, in its flow shard's order, and each message that is no block one dead letter, and what a publisher knows as committed must be in the topic. Exit status 1 if not: the packets are named, and the folder stays. The same seed gives the same plan; when a kill hits is up to the machine.",
            "With --kills 0 it kills nothing: every 10 s it prints heap (after a full collection), memory outside it, threads and descriptors of TaskManagers and JobManager, and the disk that the cluster takes. Exit status 1 if one of them grows from the second quarter of the run to its last.",
            ""
        })
public final class SoakCommand extends SluiceCommand implements Interruptible, CommandContribution {
    /** Packets are told apart by an int; the load goes on while the last are answered. */
    private static final long MOST_PACKETS = 2_000_000_000L;

    @Mixin private SoakOptions options = new SoakOptions();

    @Option(
            names = "--cluster",
            paramLabel = "DIR",
            description =
                    "Folder of the cluster; it must be empty or absent, and stays (default: a temporary one, which stays if something was not as it should be).")
    private @Nullable Path folder;

    @Mixin private JsonOption json = new JsonOption();

    private volatile @Nullable Soak running;

    @Override
    public Integer call() throws Exception {
        if (options.killsNothing() && !JvmProbe.isPossible()) {
            throw new UsageException(
                    "--kills 0 asks the processes what they take, which takes the module jdk.attach; run it with a JDK");
        }
        if (options.minutes.toSeconds() * options.rate > MOST_PACKETS) {
            throw new UsageException(
                    "--minutes %d at --rate %d are more packets than the %,d that can be told apart; lower one of them"
                            .formatted(options.minutes.toMinutes(), options.rate, MOST_PACKETS));
        }
        Path where = folder();
        boolean good = false;
        try {
            String right = soak(where).judge();
            CommandLine line = spec().commandLine();
            (json.isGiven() ? line.getErr() : line.getOut()).println(right);
            good = true;
        } finally {
            if (!good) {
                err().println("sluice: the cluster's folder is " + where);
            }
        }
        if (folder == null) {
            FileUtils.deleteDirectory(where.toFile());
        }
        return 0;
    }

    private Path folder() throws IOException {
        if (folder == null) {
            return Files.createTempDirectory(TemporaryDirectory.parent(), "sluice-soak-");
        }
        OutputPath.requireNoFile("--cluster", folder);
        String[] there = folder.toFile().list();
        if (there != null && there.length > 0) {
            throw new UsageException(
                    "--cluster %s is not empty; name another one".formatted(folder));
        }
        return folder;
    }

    private Soak soak(Path where) throws InterruptedException {
        try (StatusLine line = StatusLine.open(err())) {
            line.println("seed %d; a cluster starts in %s".formatted(options.seed(), where));
            SoakCluster cluster =
                    new SoakCluster(
                            where,
                            SoakOptions.TASK_MANAGERS,
                            ClusterPlan.leastMebibytes(SoakOptions.TASK_MANAGERS),
                            SoakOptions.CHECKPOINT_MILLIS,
                            options.killsNothing());
            ExitHook atExit = new ExitHook(cluster::close); // Ctrl-C
            try (atExit;
                    cluster) {
                Soak soak = new Soak(options, cluster, line);
                running = soak;
                line.println("the cluster is up; its web interface is at " + cluster.web());
                try {
                    soak.run();
                } finally {
                    Results.print(out(), json, soak.json());
                }
                cluster.down();
                return soak;
            }
        }
    }

    @Override
    public String whereItStands() {
        Soak soak = running;
        return soak == null
                ? "the cluster was not up yet; what had started is ended"
                : "after %s: %s; %s; the processes are ended, the folder stays"
                        .formatted(
                                soak.words(),
                                soak.counts(),
                                soak.check().missed() == 0
                                        ? "nothing that came was wrong"
                                        : soak.check().misses().get(0));
    }
}
