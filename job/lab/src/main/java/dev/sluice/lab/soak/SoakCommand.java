package dev.sluice.lab.soak;

import dev.sluice.job.UsageException;
import dev.sluice.job.cli.CommandContribution;
import dev.sluice.job.cli.Interruptible;
import dev.sluice.job.cli.JsonOption;
import dev.sluice.job.cli.OutputPath;
import dev.sluice.job.cli.Range;
import dev.sluice.job.cli.Times;
import dev.sluice.job.cluster.ClusterPlan;
import dev.sluice.job.replay.TemporaryDirectory;
import dev.sluice.job.watch.StatusLine;
import dev.sluice.policy.io.Amount;
import dev.sluice.policy.io.SluiceException;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code sluice soak}. */
@Command(
        name = "soak",
        description = {
            "Kills processes of a cluster under load again and again, and compares each verdict with the reference.",
            "It starts a cluster of its own as 'sluice cluster up' does (broker, JobManager, TaskManagers, on free "
                    + "ports of this machine), loads its packets topic, and publishes new rules meanwhile. By a plan that the seed "
                    + "draws it kills (SIGKILL) TaskManagers at work and while a checkpoint commits, the JobManager "
                    + "(the job then goes on by 'sluice resume' from the newest checkpoint), the broker and the "
                    + "publisher of rules, and starts them again: half of them alone, behind a new checkpoint, the "
                    + "others before the job is back from the kill before. At the end each packet must have one verdict, "
                    + "the right one by the version of the rules that it names, in its flow shard's order, and each "
                    + "message that is no block one dead letter, and what a publisher knows as committed must be in the "
                    + "topic. Exit status 1 if not: the packets are named, and the "
                    + "folder stays. The same seed gives the same plan; when a kill hits is up to the machine.",
            "With --kills 0 it kills nothing: every 10 s it prints heap (after a full collection), memory outside "
                    + "it, threads and descriptors of TaskManagers and JobManager, and the disk that the cluster "
                    + "takes. Exit status 1 if one of them grows from the second quarter of the run to its last.",
            ""
        })
public final class SoakCommand implements Callable<Integer>, Interruptible, CommandContribution {
    /** Packets are told apart by an int; the load goes on while the last are answered. */
    private static final long MOST_PACKETS = 2_000_000_000L;

    @Spec private CommandSpec spec;

    @Option(
            names = "--minutes",
            paramLabel = "DURATION",
            defaultValue = "5m",
            converter = Times.InMinutes.class,
            description =
                    "How long processes are killed (default ${DEFAULT-VALUE}; a bare number is in m); start and end come on top.")
    @Range(shortest = "1m")
    private Duration minutes = Duration.ZERO;

    @Option(
            names = "--seed",
            paramLabel = "S",
            description = "Seed of plan and rules (default: drawn, and said).")
    private @Nullable Long seed;

    @Option(
            names = "--kills",
            paramLabel = "K",
            description =
                    "End after so many kills; exit status 1 if --minutes are over before (default: as many as fit). 0: kill nothing, and measure.")
    @Range
    private @Nullable Integer kills;

    @Option(
            names = "--rate",
            paramLabel = "N",
            defaultValue = "10000",
            description = "Packets a second (default ${DEFAULT-VALUE}).")
    @Range(from = NumberedPackets.BLOCK, to = 1_000_000)
    private int rate;

    @Option(
            names = "--versions",
            paramLabel = "N",
            defaultValue = "10",
            description =
                    "Versions of the rules a second, three changes each (default ${DEFAULT-VALUE}).")
    @Range(from = 1, to = 1_000)
    private int versions;

    @Option(
            names = "--task-managers",
            paramLabel = "N",
            defaultValue = "2",
            description =
                    "TaskManagers, of one slot each (default ${DEFAULT-VALUE}); each takes 1 GiB, the others 1.2 GiB together.")
    @Range(from = 1, to = 16)
    private int taskManagers;

    @Option(
            names = "--checkpoint-interval",
            paramLabel = "DURATION",
            defaultValue = "500ms",
            converter = Times.InMillis.class,
            description =
                    "Time between checkpoints of the job (default ${DEFAULT-VALUE}; a bare number is in ms).")
    @Range(shortest = "100ms", longest = "10s")
    private Duration checkpoints = Duration.ZERO;

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
        if (kills != null && kills == 0 && !JvmProbe.isPossible()) {
            throw new UsageException(
                    "--kills 0 asks the processes what they take, which takes the module jdk.attach; run it with a JDK");
        }
        if (minutes.toSeconds() * rate > MOST_PACKETS) {
            throw new UsageException(
                    "--minutes %d at --rate %d are more packets than the %,d that can be told apart; lower one of them"
                            .formatted(minutes.toMinutes(), rate, MOST_PACKETS));
        }
        long drawn = seed == null ? new Random().nextInt(Integer.MAX_VALUE) : seed;
        Path where = folder();
        Soak.Options options =
                new Soak.Options(
                        where,
                        minutes,
                        drawn,
                        kills == null ? Integer.MAX_VALUE : kills,
                        rate,
                        versions,
                        taskManagers,
                        ClusterPlan.leastMebibytes(taskManagers),
                        checkpoints.toMillis());
        boolean good = false;
        try {
            soak(options);
            good = true;
        } finally {
            if (!good) {
                spec.commandLine().getErr().println("sluice: the cluster's folder is " + where);
            }
        }
        if (folder == null) {
            delete(where);
        }
        return 0;
    }

    private Path folder() throws IOException {
        if (folder == null) {
            return Files.createTempDirectory(TemporaryDirectory.parent(), "sluice-soak-");
        }
        OutputPath.requireNoFile("--cluster", folder);
        if (Files.exists(folder)) {
            try (Stream<Path> there = Files.list(folder)) {
                if (there.findAny().isPresent()) {
                    throw new UsageException(
                            "--cluster %s is not empty; name another one".formatted(folder));
                }
            }
        }
        return folder;
    }

    private void soak(Soak.Options options) throws InterruptedException {
        PrintWriter out = spec.commandLine().getOut();
        try (StatusLine line = StatusLine.open(spec.commandLine().getErr())) {
            line.println(
                    "seed %d; a cluster starts in %s".formatted(options.seed(), options.folder()));
            SoakCluster cluster =
                    new SoakCluster(
                            options.folder(),
                            options.taskManagers(),
                            options.memoryMebibytes(),
                            options.checkpointMillis(),
                            options.kills() == 0);
            Thread atExit = new Thread(cluster::close, "soak end"); // Ctrl-C
            Runtime.getRuntime().addShutdownHook(atExit);
            try (cluster) {
                Soak soak = new Soak(options, cluster, line);
                running = soak;
                line.println("the cluster is up; its web interface is at " + cluster.web());
                boolean ended = false;
                try {
                    soak.run();
                    ended = true;
                } finally {
                    if (!ended) {
                        print(soak, out);
                    }
                }
                cluster.down();
            } finally {
                keep(atExit);
            }
        }
        tell(options, out);
    }

    private void print(Soak soak, PrintWriter out) {
        if (json.isGiven()) {
            JsonOption.print(out, soak.json());
        } else if (soak.meter().isEmpty()) {
            soak.report().print(out);
        } else {
            soak.meter().print(out);
        }
    }

    private static void keep(Thread atExit) {
        try {
            Runtime.getRuntime().removeShutdownHook(atExit);
        } catch (IllegalStateException e) {
            // The process ends, and the hook with it.
        }
    }

    private void tell(Soak.Options options, PrintWriter out) {
        Soak soak = running;
        if (soak == null) {
            throw new IllegalStateException("nothing ran");
        }
        print(soak, out);
        List<String> misses = soak.check().misses();
        if (!json.isGiven()) {
            misses.forEach(out::println);
        }
        if (!misses.isEmpty()) {
            throw new SluiceException(
                    "%s after %s, seed %d: %s; the first: %s"
                            .formatted(
                                    Amount.of(soak.check().missed(), "wrong thing"),
                                    soak.report().words(),
                                    options.seed(),
                                    soak.counts(),
                                    misses.get(0)));
        }
        String line =
                "%s in %d s, seed %d (%s ended by themselves); %s: none lost, none twice, none wrong, none out of its order, by %s of the rules"
                        .formatted(
                                soak.report().words(),
                                soak.seconds(),
                                options.seed(),
                                Amount.of(soak.endedByThemselves(), "TaskManager"),
                                soak.counts(),
                                Amount.of(soak.versions(), "version"));
        (json.isGiven() ? spec.commandLine().getErr() : out).println(line);
        soak.meter()
                .growth()
                .ifPresent(
                        growth -> {
                            throw new SluiceException(growth);
                        });
        if (kills != null && soak.report().kills() < kills) {
            throw new SluiceException(
                    "%d minutes were over after %s of %d; give it more --minutes"
                            .formatted(minutes.toMinutes(), soak.report().words(), kills));
        }
    }

    private static void delete(Path folder) throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(file);
            }
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
    }

    @Override
    public String whereItStands() {
        Soak soak = running;
        return soak == null
                ? "the cluster was not up yet; what had started is ended"
                : "after %s in %d s: %s; %s; the processes are ended, the folder stays"
                        .formatted(
                                soak.report().words(),
                                soak.seconds(),
                                soak.counts(),
                                soak.check().missed() == 0
                                        ? "nothing that came was wrong"
                                        : soak.check().misses().get(0));
    }
}
