package dev.sluice.job.cli;

import dev.sluice.job.cluster.ClusterFolder;
import dev.sluice.job.graph.LocalFlink;
import dev.sluice.job.submit.ClusterTarget;
import dev.sluice.job.submit.FlinkAddress;
import dev.sluice.job.submit.FlinkClient;
import dev.sluice.job.submit.RemoteCluster;
import dev.sluice.job.submit.Target;
import dev.sluice.job.submit.ThisProcess;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;

/** Options that say where a job runs; a subclass for each choice of places. */
abstract class PlaceOptions {
    @Option(
            names = "--parallelism",
            paramLabel = "N",
            description =
                    "Parallelism of the job (default: 2; with --cluster all its free slots; under flink run, what the client says).")
    @Range(from = 1)
    @Nullable Integer parallelism;

    /** Options of the submission to a cluster; null: the job runs in this process. */
    abstract @Nullable Submission submission();

    /**
     * The target, which answers.
     *
     * @param bounded whether the job ends by itself
     */
    abstract Target target(boolean bounded) throws InterruptedException;

    /** Returns whether the place has a broker, which serves where none is named. */
    boolean hasBroker() {
        return submission() instanceof OnCluster on && on.where.ours != null;
    }

    Target target(@Nullable OnCluster on, @Nullable Path checkpoints, boolean bounded)
            throws InterruptedException {
        if (on != null && on.where.ours != null) {
            Ours ours = on.where.ours;
            return ClusterTarget.find(ours.folder, ours.savepoint, parallelism);
        }
        int usual = parallelism == null ? Target.PARALLELISM : parallelism;
        return on != null && on.where.flink != null
                ? new RemoteCluster(on.where.flink, usual)
                : new ThisProcess(usual, checkpoints, bounded);
    }

    /** Options of a job that is handed over. */
    static class Submission {
        @Option(
                names = "--job-name",
                paramLabel = "NAME",
                converter = JobName.class,
                description =
                        "Name of a job on a cluster: 'sluice cluster status' shows it, 'sluice stop NAME' and the like take it (default "
                                + LocalFlink.JOB_NAME
                                + ").")
        String name = LocalFlink.JOB_NAME;
    }

    /** Options of a job on a cluster that this command names. */
    static final class OnCluster extends Submission {
        @ArgGroup(multiplicity = "1")
        private Where where = new Where();

        @Option(
                names = "--watch",
                description =
                        "Stay and show where the job on a cluster stands, from the cluster's REST interface, until it ends; it goes on when this command is stopped.")
        boolean watch;
    }

    /** A cluster: of this machine, or by its address. */
    private static final class Where {
        @Option(
                names = "--flink",
                paramLabel = "HOST:PORT",
                description = "REST address of a running Flink cluster to submit to.")
        private @Nullable FlinkAddress flink;

        @ArgGroup(exclusive = false)
        private @Nullable Ours ours;
    }

    /** A cluster of this machine, and the state that a job there goes on from. */
    private static final class Ours {
        @Option(
                names = "--cluster",
                arity = "0..1",
                fallbackValue = ClusterFolder.USUAL,
                paramLabel = "DIR",
                description =
                        "Submit to the cluster that 'sluice cluster up' has started in this folder (${FALLBACK-VALUE} where none is named); the job goes on without this command, its checkpoints in that folder.")
        private Path folder = Path.of(ClusterFolder.USUAL);

        @Option(
                names = "--savepoint",
                paramLabel = "DIR",
                description =
                        "Go on from this savepoint or checkpoint (the folder that has a _metadata) on that cluster, with the options that 'sluice stop' prints. They may be changed, but the topics and --transactional-id-prefix: --parallelism rescales the job, another installation upgrades it.")
        private @Nullable Path savepoint;
    }

    /** Converter of names of jobs. */
    static final class JobName implements ITypeConverter<String> {
        @Override
        public String convert(String name) {
            if (name.isBlank() || name.chars().anyMatch(Character::isISOControl)) {
                throw new TypeConversionException(
                        "is blank or has control characters; write words that can be seen");
            }
            return name;
        }
    }

    /** Places of a job on Kafka: a cluster, or this process, perhaps with checkpoints. */
    static final class OfKafka extends PlaceOptions {
        @ArgGroup private @Nullable Place place;

        private static final class Place {
            @ArgGroup(exclusive = false)
            private @Nullable OnCluster cluster;

            @Option(
                    names = "--checkpoints",
                    paramLabel = "DIR",
                    description =
                            "When the job runs in this process: folder for its checkpoints. A job that finds one there goes on from it, after kill -9 too; the one before must have been --bounded if this one is, and only then (default: a temporary folder, from the start each time).")
            private @Nullable Path checkpoints;
        }

        @Override
        @Nullable Submission submission() {
            return place == null ? null : place.cluster;
        }

        @Override
        Target target(boolean bounded) throws InterruptedException {
            return place == null
                    ? target(null, null, bounded)
                    : target(place.cluster, place.checkpoints, bounded);
        }
    }

    /** Places of a job on captures: a cluster, or this process, from the start each time. */
    static final class OfCaptures extends PlaceOptions {
        @ArgGroup(exclusive = false)
        private @Nullable OnCluster cluster;

        @Override
        @Nullable Submission submission() {
            return cluster;
        }

        @Override
        Target target(boolean bounded) throws InterruptedException {
            return target(cluster, null, bounded);
        }
    }

    /** The place that {@code flink run} chooses. */
    static final class OfClient extends PlaceOptions {
        @Mixin private Submission submission = new Submission();

        @Override
        Submission submission() {
            return submission;
        }

        @Override
        Target target(boolean bounded) {
            return new FlinkClient(parallelism);
        }
    }
}
