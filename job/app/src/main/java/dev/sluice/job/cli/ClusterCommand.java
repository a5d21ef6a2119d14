package dev.sluice.job.cli;

import picocli.CommandLine.Command;

/** {@code sluice cluster}: a Flink cluster with its broker on one machine. */
@Command(
        name = "cluster",
        description = {
            "Starts and ends a Flink cluster on this machine, with a Kafka broker beside it: processes that "
                    + "outlive the command, everything that they keep in one folder.",
            ""
        },
        subcommands = {
            ClusterUpCommand.class,
            ClusterStatusCommand.class,
            ClusterCancelCommand.class,
            ClusterDownCommand.class,
        })
final class ClusterCommand extends CommandGroup {}
