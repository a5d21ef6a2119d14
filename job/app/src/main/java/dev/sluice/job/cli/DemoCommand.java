package dev.sluice.job.cli;

import dev.sluice.job.ShellWord;
import dev.sluice.job.capture.CaptureEnd;
import dev.sluice.job.capture.ParserOptions;
import dev.sluice.job.classify.VerdictRun;
import dev.sluice.job.hits.CaptureHits;
import dev.sluice.job.replay.RuleVersionFile;
import dev.sluice.operators.classify.RulesTime;
import dev.sluice.policy.PolicyFile;
import dev.sluice.policy.PolicyOptions;
import dev.sluice.policy.RuleFile;
import dev.sluice.policy.io.SluiceException;
import dev.sluice.policy.model.Assumptions;
import dev.sluice.policy.model.ConnectionState;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code sluice demo}: a replay of the capture and policy that come with Sluice. */
@Command(
        name = "demo",
        description = {
            "Judges a Linux firewall, as classify does, and prints a summary of the verdicts. Then it runs the whole job "
                    + "once: a capture and the flows of a switch go through an embedded Kafka broker and an embedded "
                    + "Flink cluster, and the summary of their verdicts is printed.",
            ""
        })
final class DemoCommand extends SluiceCommand implements Interruptible {
    /** The folder of the command {@code sluice}. */
    private static final Path HOME = Path.of(System.getProperty("sluice.home", "."));

    @Option(
            names = "--test-data",
            paramLabel = "DIR",
            description =
                    "Folder of the captures and the policies (default: test-data of the checkout).")
    private Path testData = HOME.resolve("test-data");

    @Mixin private ReplayOptions replay = new ReplayOptions();

    @Override
    public Integer call() throws Exception {
        Path capture = testData.resolve("office/office.pcapng.gz");
        Path policy = testData.resolve("office/office.ovs");
        replay.requireUse(List.of(capture, policy));
        if (!Files.isReadable(capture) || !Files.isReadable(policy)) {
            throw new SluiceException(
                    capture
                            + " or "
                            + policy
                            + " is missing; name the test-data folder of a checkout with --test-data");
        }
        if (!replay.isJson()) {
            judgeFirewall();
        }
        say("replaying " + capture + " under " + policy);
        RuleOptions rules = new RuleOptions();
        new CommandLine(rules).parseArgs("--rules", policy.toString());
        RuleFile read = rules.read(err());
        int status =
                replay.run(
                        List.of(capture),
                        List.of(new RuleVersionFile(policy, read, null)),
                        rules.defaultAction(),
                        RulesTime.PROCESSING,
                        () -> rules.findings(read.rules().size(), PolicyOptions.NONE),
                        out(),
                        err());
        if (status == 0 && !replay.isJson()) {
            next(capture, policy).forEach(out()::println);
        }
        return status;
    }

    private void judgeFirewall() throws InterruptedException {
        Path capture = testData.resolve("firewall/server.pcapng.gz");
        Path dump = testData.resolve("firewall/server.save");
        say("judging " + capture + " under " + dump);
        Assumptions assumed = new Assumptions(ConnectionState.NEW, "eth0", null);
        PolicyFile policy = PolicyFile.read(dump, new PolicyOptions("INPUT", assumed, false));
        try (CaptureHits hits = new CaptureHits(policy, ParserOptions.DEFAULTS, null)) {
            long start = System.nanoTime();
            List<CaptureEnd> ends = VerdictRun.count(List.of(capture), hits);
            double seconds = (System.nanoTime() - start) / 1e9;
            hits.summary(List.of(capture), ends, seconds).print(out(), false);
        }
    }

    /** Lists the commands to try next, as a user in the present folder types them. */
    private static List<String> next(Path capture, Path policy) {
        String sluice =
                Path.of("").toAbsolutePath().equals(HOME.toAbsolutePath().normalize())
                        ? "./sluice"
                        : typed(HOME.resolve("sluice"));
        return List.of(
                "",
                "What to try next:",
                "  the same in a second, without Kafka and Flink, each packet with its rule:",
                "    %s classify %s --rules %s".formatted(sluice, typed(capture), typed(policy)),
                "  your own firewall, as this machine has it, read rule by rule:",
                "    sudo iptables-save -c > host.save && %s rules show host.save#INPUT"
                        .formatted(sluice),
                "  your own traffic, as it comes, under a policy of your own:",
                "    sudo tcpdump -i any -U -w - | %s classify - --rules host.save#INPUT"
                        .formatted(sluice),
                "  the job on a small cluster of this machine, and its verdicts:",
                "    %1$s cluster up && %1$s help run".formatted(sluice),
                "  all commands: " + sluice);
    }

    /** A file as a shell takes it, from the folder where one is if it lies in it. */
    private static String typed(Path file) {
        Path here = Path.of("").toAbsolutePath();
        Path there = file.toAbsolutePath().normalize();
        return ShellWord.of(there.startsWith(here) ? here.relativize(there) : there);
    }

    @Override
    public String whereItStands() {
        return replay.whereItStands();
    }
}
