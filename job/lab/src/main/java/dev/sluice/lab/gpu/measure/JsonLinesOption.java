package dev.sluice.lab.gpu.measure;

import picocli.CommandLine.Option;

/** {@code --json} of commands that print JSON alone, so that it may be said to every command. */
final class JsonLinesOption {
    @Option(
            names = "--json",
            description =
                    "Changes nothing: the lines are JSON without it, too; docs/json-bench.md tells their members.")
    @SuppressWarnings("UnusedVariable") // said for help and for those who say it everywhere
    private boolean json;
}
