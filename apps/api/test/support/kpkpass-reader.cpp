// Prints what KPkPass reads in a package, as JSON, and writes the images that it decodes. KPkPass is the library with which
// KDE's mail client and travel app show passes. Usage: kpkpass-reader <package> <language> <folder of the images>

#include <KPkPass/Barcode>
#include <KPkPass/Field>
#include <KPkPass/Pass>

#include <QColor>
#include <QDir>
#include <QImage>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QLocale>
#include <QMetaEnum>
#include <QVector>

#include <cstdio>
#include <memory>

static QJsonArray fieldsOf(const QVector<KPkPass::Field> &fields)
{
    QJsonArray found;
    for (const auto &field : fields) {
        found.append(QJsonObject{
            {"key", field.key()},
            {"label", field.label()},
            {"value", QJsonValue::fromVariant(field.value())},
            {"changeMessage", field.changeMessage()},
        });
    }
    return found;
}

static QJsonArray barcodesOf(const KPkPass::Pass &pass)
{
    const auto formats = QMetaEnum::fromType<KPkPass::Barcode::Format>();
    QJsonArray found;
    for (const auto &barcode : pass.barcodes()) {
        found.append(QJsonObject{{"format", formats.valueToKey(barcode.format())}, {"message", barcode.message()}});
    }
    return found;
}

// Writes each image in each scale, as <name>@<scale>x.png. Returns the names.
static QJsonArray writeImages(const KPkPass::Pass &pass, const QDir &folder)
{
    QJsonArray found;
    for (const char *name : {"icon", "logo", "strip", "thumbnail", "background", "footer", "artwork", "primaryLogo"}) {
        if (!pass.hasImage(name)) {
            continue;
        }
        found.append(name);
        for (unsigned int scale = 1; scale <= 3; ++scale) {
            pass.image(name, scale).save(folder.filePath(QStringLiteral("%1@%2x.png").arg(name).arg(scale)));
        }
    }
    return found;
}

int main(int argc, char **argv)
{
    if (argc != 4) {
        return 2;
    }
    QLocale::setDefault(QLocale(argv[2]));
    const std::unique_ptr<KPkPass::Pass> pass(KPkPass::Pass::fromFile(argv[1]));
    if (!pass) {
        return 1;
    }
    const auto styles = QMetaEnum::fromType<KPkPass::Pass::Type>();
    const QJsonObject json{
        {"style", styles.valueToKey(pass->type())},
        {"description", pass->description()},
        {"organizationName", pass->organizationName()},
        {"group", pass->groupingIdentifier()},
        {"expires", pass->expirationDate().toString(Qt::ISODate)},
        {"colours", QJsonArray{pass->backgroundColor().name(), pass->foregroundColor().name(), pass->labelColor().name()}},
        {"headerFields", fieldsOf(pass->headerFields())},
        {"primaryFields", fieldsOf(pass->primaryFields())},
        {"secondaryFields", fieldsOf(pass->secondaryFields())},
        {"auxiliaryFields", fieldsOf(pass->auxiliaryFields())},
        {"backFields", fieldsOf(pass->backFields())},
        {"barcodes", barcodesOf(*pass)},
        {"images", writeImages(*pass, QDir(argv[3]))},
    };
    const auto bytes = QJsonDocument(json).toJson(QJsonDocument::Compact);
    return std::fwrite(bytes.constData(), 1, bytes.size(), stdout) == static_cast<std::size_t>(bytes.size()) ? 0 : 1;
}
