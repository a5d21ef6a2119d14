package dev.sluice.job.lab.tables;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sluice.engine.image.Image;
import dev.sluice.engine.image.MemoryBudgetException;
import dev.sluice.engine.lookup.AlgorithmOptions;
import dev.sluice.engine.lookup.CompileContext;
import dev.sluice.engine.rfc.BitmapRfcAlgorithm;
import dev.sluice.engine.rfc.RfcAlgorithm;
import dev.sluice.engine.rfc.RfcForm;
import dev.sluice.engine.rfc.TableFigures;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.job.cli.Choice;
import dev.sluice.job.cli.JsonOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;

/** Compiles rules by RFC and by Bitmap-RFC and looks headers up in both. Not thread-safe. */
final class BitmapRfcStudy {
    /** Heads of {@link #tables}. */
    static final String TABLE_HEADS =
            "rules,form,table,entries,classes,plain MB,bitmap MB,times smaller,entries a piece,"
                    + "pieces of 32 with 1 run %,with 2 to 8 %,with more %,entries in accessory tables %";

    /** Heads of {@link #rates}. */
    static final String RATE_HEADS =
            "rules,form,plain MB,bitmap MB,times smaller,plain M headers/s,bitmap M headers/s,ratio,wrong";

    private static final RfcAlgorithm RFC = new RfcAlgorithm();
    private static final BitmapRfcAlgorithm BITMAP_RFC = new BitmapRfcAlgorithm();

    private final long budgetBytes;
    private final int rounds;
    private final int millis;
    private final Consumer<String> progress;

    /** A line for each table of every image, below {@link #TABLE_HEADS}. */
    final List<String> tables = new ArrayList<>();

    /** A line for each image, below {@link #RATE_HEADS}. */
    final List<String> rates = new ArrayList<>();

    private final ObjectNode found = JsonOption.object();
    private final ArrayNode foundTables = found.putArray("tables");
    private final ArrayNode foundRates = found.putArray("rates");

    /** Headers of which plain and compressed tables said different rules. */
    long wrong;

    /**
     * Nothing compiled yet.
     *
     * @param rounds of rates, each with a turn of plain and one of compressed tables
     * @param millis CPU time of a turn
     */
    BitmapRfcStudy(long budgetBytes, int rounds, int millis, Consumer<String> progress) {
        this.budgetBytes = budgetBytes;
        this.rounds = rounds;
        this.millis = millis;
        this.progress = progress;
    }

    /** What both lists hold, as one object. */
    ObjectNode json() {
        return found;
    }

    /** Compiles some rules in some forms. */
    void add(RuleSet sample, List<RfcForm> forms) {
        for (RfcForm form : forms) {
            RuleSet rules = form == RfcForm.PAPER ? SampledRules.ofFourFields(sample) : sample;
            String what = rules.size() + "," + Choice.label(form);
            ObjectNode rate = JsonOption.object();
            rate.put("rules", rules.size()).put("form", Choice.label(form));
            try {
                String line = what + "," + add(what, rules, form, rate.put("refused", false));
                rates.add(line);
                progress.accept(line);
            } catch (MemoryBudgetException e) {
                rates.add(what + ",refused,,,,,,");
                rate.put("refused", true);
                progress.accept(what + ": " + e.getMessage());
            }
            foundRates.add(rate);
        }
    }

    private String add(String what, RuleSet rules, RfcForm form, ObjectNode rate) {
        CompileContext context =
                CompileContext.of(
                        budgetBytes, AlgorithmOptions.DEFAULTS.with(RfcForm.OPTION, form));
        List<TableFigures> all = new ArrayList<>();
        Image bitmaps = BITMAP_RFC.compile(rules, context, all::add);
        Image plain = RFC.compile(rules, context);
        for (TableFigures table : all) {
            tables.add(what + "," + line(table));
            foundTables.add(object(rules, form, table));
        }
        TurnsOfTwo.Result result =
                new TurnsOfTwo(rules, RFC.open(plain), BITMAP_RFC.open(bitmaps))
                        .measure(rounds, millis);
        wrong += result.wrong();
        rate.put("plainBytes", plain.bytes()).put("bitmapBytes", bitmaps.bytes());
        rate.put("plainMpps", result.first()).put("bitmapMpps", result.second());
        rate.put("ratio", result.ratio()).put("wrong", result.wrong());
        return String.format(
                Locale.ROOT,
                "%.2f,%.2f,%.2f,%.1f,%.1f,%.2f,%d",
                plain.bytes() / 1e6,
                bitmaps.bytes() / 1e6,
                (double) plain.bytes() / bitmaps.bytes(),
                result.first(),
                result.second(),
                result.ratio(),
                result.wrong());
    }

    private static ObjectNode object(RuleSet rules, RfcForm form, TableFigures table) {
        return JsonOption.object()
                .put("rules", rules.size())
                .put("form", Choice.label(form))
                .put("table", table.name())
                .put("entries", table.entries())
                .put("classes", table.classes())
                .put("plainBytes", table.plainBytes())
                .put("bitmapBytes", table.writtenBytes())
                .put("entriesAPiece", table.pieceEntries())
                .put("pieces", table.pieces())
                .put("piecesOf1Run", table.piecesOf1())
                .put("piecesOf2To8Runs", table.piecesOf2To8())
                .put("accessoryEntries", table.accessoryEntries());
    }

    private static String line(TableFigures table) {
        double pieces = Math.max(1, table.pieces()) / 100.0;
        return String.format(
                Locale.ROOT,
                "%s,%d,%d,%.3f,%.3f,%.2f,%s,%.2f,%.2f,%.2f,%.2f",
                table.name(),
                table.entries(),
                table.classes(),
                table.plainBytes() / 1e6,
                table.writtenBytes() / 1e6,
                (double) table.plainBytes() / table.writtenBytes(),
                table.pieceEntries() == 0 ? "plain" : String.valueOf(table.pieceEntries()),
                table.piecesOf1() / pieces,
                table.piecesOf2To8() / pieces,
                (table.pieces() - table.piecesOf1() - table.piecesOf2To8()) / pieces,
                100.0 * table.accessoryEntries() / Math.max(1, table.entries()));
    }
}
