package dev.sluice.job.cli;

import dev.sluice.engine.rules.RuleSet;
import dev.sluice.job.UsageException;
import dev.sluice.job.capture.CaptureEnd;
import dev.sluice.job.capture.CaptureWriter;
import dev.sluice.job.capture.ReadShare;
import dev.sluice.job.classify.CaptureSource;
import dev.sluice.job.classify.FilteredCapture;
import dev.sluice.job.classify.PacketFilter;
import dev.sluice.job.classify.VerdictChoice;
import dev.sluice.job.hits.CaptureHits;
import dev.sluice.job.replay.Progress;
import dev.sluice.job.watch.Interruption;
import dev.sluice.policy.io.Amount;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code sluice filter}: the packets of captures that have a certain verdict, as a capture. */
@Command(
        name = "filter",
        description = {
            "Hands on the packets of captures that have a certain verdict, as they were captured: those of a rule, "
                    + "or of an action. It stands in a pipe, too, between tcpdump -w - and tshark -r -.",
            "With --rule and --action a packet must have both. Packets that cannot be classified are not handed on.",
            "Exit status 1 if a capture did not end cleanly.",
            ""
        })
final class FilterCommand implements Callable<Integer>, Interruptible {
    /** True while the command itself reports its progress when it is interrupted. */
    private volatile boolean reading;

    @Spec private CommandSpec spec;

    @Mixin private LiveCaptureArguments captures = new LiveCaptureArguments();

    @Mixin private RuleOptions ruleOptions = new RuleOptions();

    @Option(
            names = "--rule",
            paramLabel = "LINE|ID",
            description =
                    "Packets of this rule, by its line or its id; none: those that no rule matches.")
    private @Nullable String rule;

    @Option(
            names = "--action",
            paramLabel = "ACTION",
            description =
                    "Packets with this action, in the words of the rule file; the default action counts, too.")
    private @Nullable String action;

    @Option(
            names = {"-w", "--write"},
            paramLabel = "OUT",
            required = true,
            description =
                    "The capture to write, - for standard output; gzip'd if it ends with .gz. For others pipe it: -w - | zstd > OUT.")
    private Path to = CaptureSource.STANDARD_INPUT;

    @Option(
            names = "--format",
            paramLabel = "FORMAT",
            description =
                    "pcapng (any link types, each packet with the name of its capture) or pcap (one link type) (default: pcap where OUT ends so, else pcapng).")
    private CaptureWriter.@Nullable Form format;

    @Mixin private InPortOption inPort = new InPortOption();

    @Mixin private JsonOption json = new JsonOption();

    @Mixin private HeaderOptions headers = new HeaderOptions();

    private final List<CaptureEnd> ends = new ArrayList<>();

    /** True if the reading was ended before the end. */
    private boolean interrupted;

    @Override
    public Integer call() throws IOException {
        FilteredCapture.requireName(to);
        if (rule == null && action == null) {
            throw new UsageException(
                    "--rule or --action is missing: which packets are to be handed on?");
        }
        List<Path> files = captures.files();
        List<CaptureSource> sources = CaptureSource.all(files);
        boolean toPipe = FilteredCapture.isStandardOutput(to);
        if (toPipe && Console.isTerminal()) {
            throw new UsageException(
                    "-w - writes a capture, and standard output is a terminal; name a file, or add | tshark -r -");
        }
        if (toPipe) {
            OutputPath.requireOtherThanStandardOutput(files);
        }
        OutputPath.requireOther("-w", to, files);
        OutputPath.requireOther("-w", to, ruleOptions.files());
        PrintWriter err = spec.commandLine().getErr();
        RuleSet rules = ruleOptions.readSet(headers, err);
        try (CaptureHits hits = new CaptureHits(rules, headers.parsing(), inPort.number());
                FilteredCapture file = new FilteredCapture(to)) {
            VerdictChoice choice = new VerdictChoice(rules, hits, rule, action);
            PacketFilter filter;
            ReadShare share = new ReadShare(files);
            CaptureWriter out =
                    file.open(format == null ? FilteredCapture.form(to) : format, files);
            try (Interruption interruption = new Interruption();
                    Progress progress = new Progress(err, "filtering");
                    out) {
                reading = true;
                filter =
                        new PacketFilter(
                                hits,
                                choice,
                                out,
                                interruption::isAsked,
                                share,
                                packets -> progress.at(packets, share.part()));
                for (int i = 0; i < sources.size() && !interruption.isAsked(); i++) {
                    ends.add(filter.add(sources.get(i), i));
                }
                interrupted = interruption.isAsked();
                progress.at(hits.packets(), hits.packets(), !interrupted);
            } catch (PacketFilter.WriteException e) {
                if (toPipe && StandardOutput.isUnread(e)) {
                    return 0; // nobody reads our output any more
                }
                throw file.failure(e);
            }
            to = file.complete(interrupted && !CaptureSource.areLive(files));
            return report(hits, filter, out, toPipe ? err : spec.commandLine().getOut());
        }
    }

    private int report(CaptureHits hits, PacketFilter filter, CaptureWriter out, PrintWriter last) {
        PrintWriter err = spec.commandLine().getErr();
        if (json.isGiven()) {
            JsonOption.print(
                    last,
                    JsonOption.object()
                            .put("packets", hits.packets())
                            .put("handed_on", filter.handedOn())
                            .put("dead_letters", hits.unclassified())
                            .put("file", to.toString()));
        } else {
            long dead = hits.unclassified();
            last.printf(
                    "%,d of %s handed on%s%s%n",
                    filter.handedOn(),
                    Amount.of(hits.packets(), "packet"),
                    FilteredCapture.isStandardOutput(to) ? "" : " to " + to,
                    dead == 0 ? "" : "; " + Amount.of(dead, "dead letter") + " among the others");
        }
        if (hits.shutTunnels().sum() > 0) {
            err.println("sluice: " + hits.shutTunnels().describe());
        }
        last.flush();
        int left = interrupted && !ends.isEmpty() ? 1 : 0; // the last one was left off
        boolean clean =
                CaptureEnds.report(captures.files(), ends.subList(0, ends.size() - left), err);
        if (out.movedTimes() > 0) {
            err.printf(
                    "sluice: without a time that the file can hold: %s; they have the nearest one%n",
                    Amount.of(out.movedTimes(), "packet"));
        }
        if (interrupted) {
            err.println("sluice: interrupted; every packet up to there was classified");
            clean = false;
        }
        err.flush();
        return clean ? 0 : 1;
    }

    @Override
    public String whereItStands() {
        return reading ? ITSELF : "nothing was read";
    }
}
