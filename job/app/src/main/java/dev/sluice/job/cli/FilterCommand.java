package dev.sluice.job.cli;

import dev.sluice.engine.rules.RuleSet;
import dev.sluice.job.ShellWord;
import dev.sluice.job.UsageException;
import dev.sluice.job.capture.CaptureEnd;
import dev.sluice.job.capture.CaptureWriter;
import dev.sluice.job.capture.ReadShare;
import dev.sluice.job.classify.CaptureSource;
import dev.sluice.job.classify.PacketFilter;
import dev.sluice.job.classify.VerdictChoice;
import dev.sluice.job.hits.CaptureHits;
import dev.sluice.job.replay.Progress;
import dev.sluice.policy.TextFiles;
import dev.sluice.policy.io.Amount;
import dev.sluice.policy.io.CompleteFile;
import dev.sluice.policy.io.SluiceException;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.GZIPOutputStream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
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
    /** Programs that compress, by the endings of their files' names. */
    private static final Map<String, String> COMPRESSORS =
            Map.of("zst", "zstd", "zstd", "zstd", "lz4", "lz4", "bz2", "bzip2", "xz", "xz");

    private static final Pattern COMPRESSED =
            Pattern.compile(".*\\.(zstd?|lz4|bz2|xz)", Pattern.CASE_INSENSITIVE | Pattern.DOTALL);

    /** True while the command itself reports its progress when it is interrupted. */
    private volatile boolean reading;

    @Spec private CommandSpec spec;

    @Parameters(
            arity = "1..*",
            paramLabel = "CAPTURE",
            description =
                    "pcap or pcapng files, plain or compressed by gzip, zstd or lz4, or patterns in quotes as 'day/**/*.pcap'; FIFOs, too, and - for standard input.")
    private List<Path> captures = List.of();

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
    private @Nullable String format;

    @Option(
            names = "--in-port",
            paramLabel = "N",
            description = "Ingress port of all packets, which captures do not tell.")
    private @Nullable Integer inPort;

    @Mixin private JsonOption json = new JsonOption();

    @Mixin private HeaderOptions headers = new HeaderOptions();

    private final List<CaptureEnd> ends = new ArrayList<>();

    /** True if the reading was ended before the end. */
    private boolean interrupted;

    @Override
    public Integer call() throws IOException {
        CaptureWriter.Form form = form();
        requireWrittenForm();
        UsageException.requirePort("--in-port", inPort);
        if (rule == null && action == null) {
            throw new UsageException(
                    "--rule or --action is missing: which packets are to be handed on?");
        }
        List<CaptureSource> sources = CaptureSource.all(captures);
        boolean toPipe = to.equals(CaptureSource.STANDARD_INPUT);
        if (toPipe && Console.isTerminal()) {
            throw new UsageException(
                    "-w - writes a capture, and standard output is a terminal; name a file, or add | tshark -r -");
        }
        if (toPipe) {
            OutputPath.requireOtherThanStandardOutput(captures);
        }
        OutputPath.requireOther("-w", to, captures);
        OutputPath.requireOther("-w", to, ruleOptions.files());
        PrintWriter err = spec.commandLine().getErr();
        RuleSet rules =
                ruleOptions
                        .read(err)
                        .toRuleSet(ruleOptions.file().toString(), 1, ruleOptions.defaultAction());
        headers.warn(rules.rules(), err);
        List<String> names = captures.stream().map(Path::toString).toList();
        try (CaptureHits hits = new CaptureHits(rules, headers.parsing(), inPort);
                CompleteFile file = toPipe ? null : open(to)) {
            VerdictChoice choice = new VerdictChoice(rules, hits, rule, action);
            PacketFilter filter;
            ReadShare share = new ReadShare(captures);
            CaptureWriter out = CaptureWriter.open(form, stream(file), names);
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
                throw new SluiceException(TextFiles.describeWriting(to, e), e);
            }
            complete(file);
            return report(hits, filter, out, toPipe ? err : spec.commandLine().getOut());
        }
    }

    private CaptureWriter.Form form() {
        if (format != null) {
            return Choice.parse("--format", format, CaptureWriter.Form.class);
        }
        String name = to.toString().toLowerCase(Locale.ROOT).replaceFirst("\\.gz$", "");
        return name.endsWith(".pcap") ? CaptureWriter.Form.PCAP : CaptureWriter.Form.PCAPNG;
    }

    /** Refuses a name that says another compression than the file would have. */
    private void requireWrittenForm() {
        Matcher name = COMPRESSED.matcher(to.toString());
        if (name.matches()) {
            String ending = name.group(1).toLowerCase(Locale.ROOT);
            throw new UsageException(
                    "-w %s: filter compresses by gzip alone; write -w - | %s > %s, or a name that ends with .gz"
                            .formatted(to, COMPRESSORS.get(ending), ShellWord.of(to)));
        }
    }

    private boolean isGzip() {
        return to.toString().toLowerCase(Locale.ROOT).endsWith(".gz");
    }

    private static CompleteFile open(Path to) {
        try {
            return CompleteFile.open(to);
        } catch (IOException e) {
            throw new SluiceException(TextFiles.describeWriting(to, e), e);
        }
    }

    private void complete(@Nullable CompleteFile file) {
        try {
            if (file != null && interrupted && !CaptureSource.areLive(captures)) {
                to = file.keep();
            } else if (file != null) {
                file.complete();
            }
        } catch (IOException e) {
            throw new SluiceException(TextFiles.describeWriting(to, e), e);
        }
    }

    private OutputStream stream(@Nullable CompleteFile file) {
        if (file == null) {
            return new FileOutputStream(FileDescriptor.out);
        }
        OutputStream plain = file.out();
        try {
            return isGzip() ? new GZIPOutputStream(plain, true) : plain;
        } catch (IOException e) {
            throw new SluiceException(TextFiles.describeWriting(to, e), e);
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
                    to.equals(CaptureSource.STANDARD_INPUT) ? "" : " to " + to,
                    dead == 0 ? "" : "; " + Amount.of(dead, "dead letter") + " among the others");
        }
        if (hits.shutTunnels().sum() > 0) {
            err.println("sluice: " + hits.shutTunnels().describe());
        }
        last.flush();
        int left = interrupted && !ends.isEmpty() ? 1 : 0; // the last one was left off
        boolean clean = CaptureEnds.report(captures, ends.subList(0, ends.size() - left), err);
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
