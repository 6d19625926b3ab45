"""Stop words of twelve languages: frequent function words, for `stopword` shingles.

A `stopword` shingle is a stop word and the k-1 words after it. Running prose is full of
stop words, while advertisements, menus and captions have few, so these shingles find the
prose of a news page among what surrounds it: Theobald, Siddharth and Paepcke,
"SpotSigs: robust and efficient near duplicate detection in large web collections",
SIGIR 2008; Leskovec, Rajaraman and Ullman, "Mining of Massive Datasets", section 3.2.4.

The lists never change: adding or removing a word would change the shingles, and so the
signatures, of every document. They contain articles, pronouns, prepositions, conjunctions,
auxiliary verbs and common adverbs. Each entry is one lower-case run of word characters in
NFC. Words written with an apostrophe are listed in pieces ("l", "dell", "qu", "ll").
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

__all__ = ["STOP_WORDS"]


def _words(block: str) -> tuple[str, ...]:
    return tuple(block.split())


_EN = _words(
    """
    a an the this that these those
    i me my you your he him his she her it its
    we us our they them their
    who which what where when why how
    and or but nor if because as while although than so
    of in on at by for with from to into onto about against between through
    before after above over under up down out off
    am is are was were be been being have has had do does did
    will would shall should can could may might must
    not no only very too also just then there here now never still even yet
    all any both each few more most many much other others another some such same
    one s t d m ll re ve
    """
)

_DE = _words(
    """
    der die das den dem des ein eine einen einem einer eines kein keine keinen
    ich mich mir du er ihn ihm sie ihr ihnen es wir uns man sich
    mein meine sein seine ihre ihren
    dieser diese dieses diesen diesem jeder
    wer was wo wann wie
    und oder aber denn doch wenn weil dass daß ob als während
    in im an am auf aus bei bis durch für gegen mit nach
    über um unter von vom vor wegen zu zum zwischen
    bin ist sind war waren sei habe hat haben hatte hatten
    werde wird werden wurde wurden würde worden kann können konnte
    soll will muss
    nicht nichts nur auch noch schon sehr so dann da hier jetzt immer wieder mehr
    alle alles viel viele
    """
)

_FR = _words(
    """
    le la les l un une des du de d au aux
    je j me m t il elle on nous vous ils elles lui leur eux se s soi y en
    mon ma mes son sa ses notre leurs
    ce c cet cette ces ça celui celle
    qui que qu quoi dont où quelle quand
    et ou mais donc or ni car si comme parce
    à dans par pour sur sous avec sans vers chez entre contre depuis pendant avant après dès
    suis es est sont était fut sera été étant être
    ai as a avons avez ont avait avaient avoir
    ne n pas plus non très trop aussi bien encore déjà toujours jamais puis alors ainsi
    ici peu même autre autres tout toute tous quelque quelques
    """
)

_ES = _words(
    """
    el la los las lo un una unos unas al del
    yo me mí él ella
    nos le les se sí
    mi mis su sus nuestro nuestra
    este esta esto estos estas esa
    que qué quien donde cuando como
    y e o u ni pero sino porque pues si aunque mientras
    a con contra de desde durante en entre hacia hasta para por sin sobre según
    soy es somos son era eran fue fueron sea ser
    estoy está están estaba estar he ha han había habían hay
    tiene tener puede
    no ya muy más menos mucho muchos también tan así
    aquí allí ahora después antes siempre sólo
    todo toda todos todas otro otra otros otras mismo algo nada
    """
)

_IT = _words(
    """
    il lo la i gli le l un uno una
    di a da in con su per tra fra d
    del dello della dell dei degli delle al alla all ai agli alle
    dal dalla dall dai dagli dalle nel nella nell nei negli nelle
    sul sulla sull sui sugli sulle
    io tu lui lei noi voi loro mi me ci c si se s ne n li
    suo sua suoi sue nostro
    questo questa questi queste quello quella quelli quelle
    che chi cui quando dove come com perché
    e ed o ma anche né però
    sono sei è siamo era erano fu sarà sia essere stato stata
    ho hai ha abbiamo hanno aveva può
    non più molto già ancora sempre poi prima dopo ora
    senza solo
    tutto tutta tutti altro altra altri ogni
    """
)

_PT = _words(
    """
    o a os as um uma
    de do da dos das em no na nos nas num numa por pelo pela ao aos à às
    eu me mim te ele ela eles elas se si lhe lhes lo
    meu minha seu sua seus suas nossa
    este esta estes estas esse essa isso
    que quem qual onde quando como porque
    e ou mas nem
    com sem para sobre entre até desde
    sou é somos são era eram foi foram seja ser
    está estão estava estar tem tinha ter há
    pode
    não já muito muitos mais menos também tão
    depois antes sempre ainda só bem
    todo toda todos todas tudo outro outra outros outras mesmo nada cada algum
    """
)

_NL = _words(
    """
    de het een der des den t n
    ik me je jou u hij hem zij ze haar wij we ons hun zich men
    mijn m uw zijn z onze
    dit dat deze die wie wat waar wanneer hoe
    en of maar want als dan omdat
    aan bij door in met na naar om onder op over
    te ten ter tegen tot tussen uit van voor zonder
    ben bent is was waren heb heeft hebben had hadden
    word wordt worden werd werden zal zou zouden kan kunnen kon moet moeten wil
    niet geen wel nog al ook er daar hier nu heel zeer zo toch altijd nooit weer
    meer meest veel alle alles ander andere
    """
)

_SV = _words(
    """
    en ett den det de dem
    jag mig du dig han honom hon vi oss ni er man sig
    min mitt mina din ditt dina sin sitt sina hans vår deras
    denna denne detta vad vilken var vart när hur som
    och eller men utan för så att om då därför än ty
    i på av till från med vid efter före under över mellan mot genom hos
    ur åt sedan utom
    är vara vore har hade ha blir blev kan kunde kunna
    skall skulle vill ville måste få
    inte nu där här också bara mycket mer mest många
    alltid redan ännu igen ut upp in
    all allt alla annan andra någon något varje
    """
)

_DA = _words(
    """
    en et den det de dem
    jeg mig du dig han ham hun vi os i jer man sig
    min mit mine sin sit sine hans deres
    denne dette disse hvem hvis hvad hvilken hvilket hvilke hvor hvordan som der
    og eller men for så at om da fordi mens når end
    på af til fra med ved efter før under over mellem mod gennem hos siden uden ad
    er var været være har havde have bliver blev blive kan kunne
    skal skulle vil ville må får fik få
    ikke nu her dér også kun meget mere mest mange
    altid aldrig allerede endnu igen nok ud op ind dog lige
    al alt alle anden andet andre nogen noget nogle ingen hver hvert selv samme
    """
)

_NO = _words(
    """
    en et den det de dem
    jeg meg du deg han ham hun vi oss dere man seg
    min mi mitt mine sin si sitt sine hans vår deres
    denne dette disse hvem hva hvilken hvor når hvordan som der
    og eller men for så at om da fordi mens hvis enn å
    i på av til fra med ved etter før under over mellom mot gjennom hos uten
    er var vært være har hadde ha blir ble bli kan kunne
    skal skulle vil ville må får fikk få
    ikke jo nå her også bare kun meget mye mer mest mange
    alltid aldri allerede ennå igjen nok ut opp inn
    all alt alle annen annet andre noen noe ingen hver hvert samme
    """
)

_FI = _words(
    """
    minä minun minua minulla minulle sinä
    hän hänen hänelle me meidän meitä meille te
    he heidän
    tämä tämän tätä tästä tähän nämä näiden näitä
    tuo nuo se sen sitä siinä siitä siihen sille
    ne niiden niitä niistä
    joka jonka jota jossa josta jotka joita
    kuka mikä mitä missä mistä mihin milloin miten
    ja tai sekä mutta vaan että jos kun kuin koska vaikka joten ennen
    on olen ovat oli olin olivat ollut olla olisi ole
    en et ei emme ette eivät voi voivat pitää
    kanssa ilman jälkeen aikana mukaan kautta päällä välillä
    myös vain nyt niin näin sitten siis jo vielä aina usein hyvin
    siellä täällä ehkä
    kaikki muu muut jokin itse sama
    """
)

_RU = _words(
    """
    я меня мне ты он его него ему нему им ним она её ее нее ей ней
    оно мы нас нам вы вас вам они их них себя
    мой моя свой свои своего своей своих
    этот эта это эти этого этой этом тот та то той том
    кто кого кому что чего чем чему который которая которые
    где когда как сколько
    и а но да или либо если чтобы потому поэтому тоже также
    в во на с со к у о от из за под над по до для при про без через после
    быть был была было были есть будет будут может могут можно
    не ни же ли бы вот уже ещё еще только даже очень так там тут здесь
    теперь потом всегда более
    весь вся всё все всего всех сам такой один
    """
)

STOP_WORDS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "en": _EN,
        "de": _DE,
        "fr": _FR,
        "es": _ES,
        "it": _IT,
        "pt": _PT,
        "nl": _NL,
        "sv": _SV,
        "da": _DA,
        "no": _NO,
        "fi": _FI,
        "ru": _RU,
    }
)
